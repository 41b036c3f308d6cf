//! An inverted index: for each stem, where it is and how much it says there (BM25F).

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::related::{Neighbour, related};
use super::words::{each_word, normal};

/// How many parts a document has.
pub(super) const PARTS: usize = 5;

/// How much a part's words count, and how much its length is allowed for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) weight: f32,
    pub(super) length: f32,
}

/// How soon more of the same word counts no more.
const SATURATION: f32 = 1.2;

/// How much less a word counts that is only close to the one that was asked for.
const CLOSE: f32 = 0.7;

/// How much of a part is read: what is longer is data.
const BYTES: usize = 16 * 1024;
const WORDS: usize = 1_000;

/// How much of a question is read.
const ASKED: usize = 48;

/// Stems to numbers.
type Stems = HashMap<String, u32, FixedState>;

/// What is known of the documents while they are read.
#[derive(Default)]
pub(super) struct Builder {
    /// Words as they stand in the texts, so that each is brought into its form once.
    forms: Stems,
    stems: Stems,
    documents: Vec<Vec<(u8, u32)>>,
}

impl Builder {
    /// Reads the next document.
    pub(super) fn add(&mut self, parts: &[&str; PARTS]) {
        let mut words = Vec::new();
        for (part, text) in (0..).zip(parts) {
            each_word(beginning(text, BYTES), WORDS, |word| {
                words.push((part, self.number(word)));
            });
        }
        self.documents.push(words);
    }

    fn number(&mut self, word: &str) -> u32 {
        if let Some(number) = self.forms.get(word) {
            return *number;
        }
        let next = count(self.stems.len());
        let number = *self.stems.entry(normal(word)).or_insert(next);
        self.forms.insert(word.to_owned(), number);
        number
    }

    /// Weighs the words, and sorts them by stem.
    pub(super) fn finish(self, parts: &[Part; PARTS]) -> Index {
        let averages = self.average_lengths();
        let mut entries = Vec::new();
        let mut starts = vec![0_u32; self.stems.len() + 1];
        for (place, words) in (0..).zip(&self.documents) {
            for (stem, weight) in weighted(words, parts, &averages) {
                let weight = weight / (SATURATION + weight);
                entries.push((stem, Posting { place, weight }));
                starts[stem as usize + 1] += 1;
            }
        }
        for stem in 1..starts.len() {
            starts[stem] += starts[stem - 1];
        }
        let mut free = starts.clone();
        let nothing = Posting {
            place: 0,
            weight: 0.0,
        };
        let mut postings = vec![nothing; entries.len()];
        for (stem, posting) in entries {
            postings[free[stem as usize] as usize] = posting;
            free[stem as usize] += 1;
        }
        let near = related().stems().iter();
        Index {
            documents: self.documents.len(),
            near: near.map(|stem| self.stems.get(stem).copied()).collect(),
            stems: self.stems,
            starts,
            postings,
        }
    }

    fn average_lengths(&self) -> [f32; PARTS] {
        let mut lengths = [0_u32; PARTS];
        for (part, _) in self.documents.iter().flatten() {
            lengths[usize::from(*part)] += 1;
        }
        let documents = self.documents.len().max(1) as f32;
        lengths.map(|length| (length as f32 / documents).max(1.0))
    }
}

/// Sums up each stem of a document over its parts.
fn weighted(
    words: &[(u8, u32)],
    parts: &[Part; PARTS],
    averages: &[f32; PARTS],
) -> Vec<(u32, f32)> {
    let mut lengths = [0.0_f32; PARTS];
    for (part, _) in words {
        lengths[usize::from(*part)] += 1.0;
    }
    let weight = |part: usize| {
        let Part { weight, length } = parts[part];
        weight / (1.0 - length + length * lengths[part] / averages[part])
    };
    let mut stems: Vec<(u32, f32)> = words
        .iter()
        .map(|(part, stem)| (*stem, weight(usize::from(*part))))
        .collect();
    stems.sort_unstable_by_key(|(stem, _)| *stem);
    stems.dedup_by(|again, kept| {
        let same = again.0 == kept.0;
        if same {
            kept.1 += again.1;
        }
        same
    });
    stems
}

#[derive(Debug, Clone, Copy)]
struct Posting {
    place: u32,
    /// Between nothing and one.
    weight: f32,
}

/// Documents by their stems.
#[derive(Debug)]
pub(super) struct Index {
    documents: usize,
    stems: Stems,
    /// The numbers that stems of the graph of related words have here.
    near: Vec<Option<u32>>,
    /// Where the postings of each stem begin, and behind the last one.
    starts: Vec<u32>,
    postings: Vec<Posting>,
}

impl Index {
    /// Returns the places of the documents that fit best, and how well they do, the best first; what fits equally well is in
    /// the order of the places.
    pub(super) fn search(&self, question: &str, limit: usize) -> Vec<(usize, f32)> {
        let mut scores = vec![0.0; self.documents];
        let mut best = vec![0.0; self.documents];
        let mut reached = Vec::new();
        for meaning in self.meanings(question) {
            // Of several words for one thing the best fitting one counts: not who has more of them wins.
            for (stem, close) in meaning {
                let postings = self.postings(stem);
                let worth = close * self.rarity(postings.len());
                for posting in postings {
                    let best: &mut f32 = &mut best[posting.place as usize];
                    if *best == 0.0 {
                        reached.push(posting.place);
                    }
                    *best = best.max(worth * posting.weight);
                }
            }
            for place in reached.drain(..) {
                scores[place as usize] += std::mem::take(&mut best[place as usize]);
            }
        }
        top(&scores, limit)
    }

    /// Returns for each word of a question the stems that can stand for it, and how close they are to it.
    fn meanings(&self, question: &str) -> Vec<Vec<(u32, f32)>> {
        let mut asked: Vec<String> = Vec::new();
        each_word(beginning(question, BYTES), WORDS, |word| {
            let stem = normal(word);
            if asked.len() < ASKED && !asked.contains(&stem) {
                asked.push(stem);
            }
        });
        let meaning = |stem: &String| {
            let itself = self.stems.get(stem).map(|stem| (*stem, 1.0));
            let close = |near: Neighbour| {
                let stem = self.near[usize::from(near.stem)]?;
                Some((stem, near.close * CLOSE))
            };
            let near = related().near(stem).into_iter().filter_map(close);
            itself.into_iter().chain(near).collect()
        };
        asked.iter().map(meaning).collect()
    }

    fn postings(&self, stem: u32) -> &[Posting] {
        let stem = stem as usize;
        &self.postings[self.starts[stem] as usize..self.starts[stem + 1] as usize]
    }

    fn rarity(&self, with: usize) -> f32 {
        let (documents, with) = (self.documents as f32, with as f32);
        (1.0 + (documents - with + 0.5) / (with + 0.5)).ln()
    }
}

/// Returns the places of the highest scores above nothing.
fn top(scores: &[f32], limit: usize) -> Vec<(usize, f32)> {
    let mut found: Vec<(usize, f32)> = scores.iter().copied().enumerate().collect();
    found.retain(|(_, score)| *score > 0.0);
    let order = |a: &(usize, f32), b: &(usize, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if limit < found.len() {
        found.select_nth_unstable_by(limit, order);
        found.truncate(limit);
    }
    found.sort_unstable_by(order);
    found
}

fn beginning(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

fn count(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}
