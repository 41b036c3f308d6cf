//! An inverted index with weights by BM25F.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::diversity::select_diverse;
use super::query::{QueryTerm, parse_query};
use super::related::{Neighbour, stem_graph};
use super::words::{each_word, normal};
use helve_core::support::text::first_bytes;

/// The number of parts of a document.
pub(super) const PARTS: usize = 4;

/// The weight of a part, and the strength of the normalization by its length.
#[derive(Debug, Clone, Copy)]
pub(super) struct FieldWeights {
    pub(super) weight: f32,
    pub(super) length: f32,
}

/// The saturation of repeated words: further occurrences add less and less.
const SATURATION: f32 = 0.5;

/// The weight of a related word, relative to that of the word of the query.
const CLOSE: f32 = 0.5;

/// The weight of further matches of one word of the query beside the best one, so that a tool does not win by the
/// number of its synonyms.
const FURTHER: f32 = 0.2;

/// The weight of a pair of words that are adjacent in the document as in the query.
const PAIR: f32 = 0.4;

/// The maximum length of a part and of a query in bytes, and the maximum number of words: longer text is data.
const MAX_BYTES: usize = 16 * 1024;
const MAX_WORDS: usize = 1_000;

/// The numbers of stems.
type StemIds = HashMap<String, u32, FixedState>;

/// The data of the documents while the index is built.
#[derive(Default)]
pub(super) struct IndexBuilder {
    /// The words in their original form, so that each is stemmed once.
    forms: StemIds,
    stems: StemIds,
    pairs: HashMap<(u32, u32), u32, FixedState>,
    numbers: u32,
    documents: Vec<Vec<(u8, u32)>>,
    names: Vec<Box<[u32]>>,
}

impl IndexBuilder {
    /// Adds a document, whose first part is its name.
    pub(super) fn add(&mut self, parts: &[&str; PARTS]) {
        let mut words = Vec::new();
        let mut name = Vec::new();
        for (part, text) in (0..).zip(parts) {
            let mut before = None;
            each_word(first_bytes(text, MAX_BYTES), MAX_WORDS, |word| {
                let stem = self.number(word);
                words.push((part, stem));
                if part == 0 && !name.contains(&stem) {
                    name.push(stem);
                }
                if let Some(before) = before.replace(stem) {
                    words.push((part, self.pair(before, stem)));
                }
            });
        }
        self.documents.push(words);
        self.names.push(name.into());
    }

    fn number(&mut self, word: &str) -> u32 {
        if let Some(number) = self.forms.get(word) {
            return *number;
        }
        let number = *self.stems.entry(normal(word)).or_insert_with(|| {
            self.numbers += 1;
            self.numbers - 1
        });
        self.forms.insert(word.to_owned(), number);
        number
    }

    fn pair(&mut self, first: u32, second: u32) -> u32 {
        *self.pairs.entry((first, second)).or_insert_with(|| {
            self.numbers += 1;
            self.numbers - 1
        })
    }

    /// Computes the weights, and sorts the postings by stem.
    pub(super) fn finish(self, parts: &[FieldWeights; PARTS]) -> Index {
        let averages = self.average_lengths();
        let mut entries = Vec::new();
        let mut starts = vec![0_u32; self.numbers as usize + 1];
        for (document, words) in (0..).zip(&self.documents) {
            for (stem, weight) in weigh_stems(words, parts, &averages) {
                let weight = weight / (SATURATION + weight);
                let posting = TermPosting { document, weight };
                entries.push((stem, posting));
                starts[stem as usize + 1] += 1;
            }
        }
        for stem in 1..starts.len() {
            starts[stem] += starts[stem - 1];
        }
        let mut free = starts.clone();
        let mut postings = vec![TermPosting::default(); entries.len()];
        for (stem, posting) in entries {
            postings[free[stem as usize] as usize] = posting;
            free[stem as usize] += 1;
        }
        let near = stem_graph().stems.iter();
        Index {
            names: self.names,
            related: near.map(|stem| self.stems.get(stem).copied()).collect(),
            stems: self.stems,
            pairs: self.pairs,
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

/// Sums up the weight of each stem of a document over its parts.
fn weigh_stems(
    words: &[(u8, u32)],
    parts: &[FieldWeights; PARTS],
    averages: &[f32; PARTS],
) -> Vec<(u32, f32)> {
    let mut lengths = [0.0_f32; PARTS];
    for (part, _) in words {
        lengths[usize::from(*part)] += 1.0;
    }
    let weight = |part: usize| {
        let FieldWeights { weight, length } = parts[part];
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

#[derive(Debug, Clone, Copy, Default)]
struct TermPosting {
    document: u32,
    /// The weight, between 0 and 1.
    weight: f32,
}

/// The documents by their stems.
#[derive(Debug)]
pub(super) struct Index {
    /// The stems of the name of each document.
    names: Vec<Box<[u32]>>,
    stems: StemIds,
    pairs: HashMap<(u32, u32), u32, FixedState>,
    /// For each stem of the graph of related words, its number in this index.
    related: Vec<Option<u32>>,
    /// The offset of the postings of each stem, followed by the end of the last ones.
    starts: Vec<u32>,
    postings: Vec<TermPosting>,
}

impl Index {
    /// Returns the indices of the best matching documents and their scores, in the order in which they are to be
    /// presented.
    pub(super) fn search(&self, question: &str, limit: usize) -> Vec<(usize, f32)> {
        let mut scores = vec![0.0; self.names.len()];
        let mut fits = vec![0.0; self.names.len()];
        let mut reached = Vec::new();
        for meaning in self.meanings(question) {
            for (stem, close) in meaning {
                let postings = self.postings(stem);
                let worth = close * self.rarity(stem);
                for posting in postings {
                    let fit: &mut f32 = &mut fits[posting.document as usize];
                    if *fit == 0.0 {
                        reached.push(posting.document);
                    }
                    let more = worth * posting.weight;
                    *fit = fit.max(more) + FURTHER * fit.min(more);
                }
            }
            for place in reached.drain(..) {
                scores[place as usize] += std::mem::take(&mut fits[place as usize]);
            }
        }
        let says = |stem: &u32| (*stem, self.rarity(*stem));
        select_diverse(&scores, limit, |place| {
            self.names[place].iter().map(says).collect()
        })
    }

    /// Returns, for each word of a query and each pair of adjacent words, the matching stems with their closeness.
    fn meanings(&self, question: &str) -> Vec<Vec<(u32, f32)>> {
        let asked = parse_query(first_bytes(question, MAX_BYTES));
        let pairs = asked.windows(2).filter_map(|pair| {
            let first = self.stems.get(&pair[0].stem)?;
            let second = self.stems.get(&pair[1].stem)?;
            Some(vec![(*self.pairs.get(&(*first, *second))?, PAIR)])
        });
        let words = asked.iter().map(|asked| self.meaning(asked));
        words.chain(pairs).collect()
    }

    fn meaning(&self, asked: &QueryTerm) -> Vec<(u32, f32)> {
        let itself = self.stems.get(&asked.stem);
        let close = |near: Neighbour| {
            let stem = self.related[usize::from(near.stem)]?;
            Some((stem, near.closeness * CLOSE * asked.weight))
        };
        let near = stem_graph().near(&asked.stem).into_iter();
        let itself = itself.map(|stem| (*stem, asked.weight)).into_iter();
        itself.chain(near.filter_map(close)).collect()
    }

    fn postings(&self, stem: u32) -> &[TermPosting] {
        let stem = stem as usize;
        &self.postings[self.starts[stem] as usize..self.starts[stem + 1] as usize]
    }

    fn rarity(&self, stem: u32) -> f32 {
        let with = self.postings(stem).len() as f32;
        let documents = self.names.len() as f32;
        (1.0 + (documents - with + 0.5) / (with + 0.5)).ln()
    }
}
