//! Words that are about the same, from a general dictionary and from a list of everyday words of software and offices.
//!
//! Neither knows of any tool. `data/README.md` says where they come from and how the table is made again.

use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::FixedState;

use super::words::normal;

/// Neighbours in WordNet, by `examples/related_words.rs`: its licence, a zero byte, and the table.
static TABLE: &[u8] = include_bytes!("data/wordnet.bin");

/// On each line a word and what it has to do with, the closest first.
static EVERYDAY: &str = include_str!("data/everyday.txt");

/// How close the first neighbour of an everyday word is, and how much less each further one.
const FIRST: f32 = 1.0;
const FURTHER: f32 = 0.93;

/// How close a word is to one of whose neighbours it is.
const BACK: f32 = 0.7;

/// How close a neighbour's neighbour is, and how few have to have that neighbour for it to count in full.
const SECOND: f32 = 0.15;
const SELECT: f32 = 8.0;

/// How many neighbours a word keeps, and how many a search looks for with the neighbours of neighbours.
const MAX_NEIGHBOURS: usize = 24;
const MAX_RELATED: usize = 30;

/// What is less close than this is passed over.
const MIN_CLOSENESS: f32 = 0.1;

/// How many steps of closeness the table knows.
const LEVELS: f32 = 4.0;

#[derive(Debug)]
pub(super) struct StemGraph {
    /// In the order of their numbers.
    pub(super) stems: Vec<String>,
    pub(super) ids: HashMap<String, u16, FixedState>,
    /// Where the neighbours of each stem begin, and behind the last one.
    starts: Vec<u32>,
    neighbours: Vec<Neighbour>,
    /// How much a stem counts that is passed on the way to another.
    transit_weights: Vec<f32>,
}

/// A stem and how close it is, up to one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Neighbour {
    pub(super) stem: u16,
    pub(super) closeness: f32,
}

/// Returns the graph; it is read when it is first needed.
pub(super) fn stem_graph() -> &'static StemGraph {
    static RELATED: LazyLock<StemGraph> = LazyLock::new(|| {
        let mut graph = StemGraphBuilder::default();
        graph.read_everyday(EVERYDAY);
        graph.read_table(TABLE);
        graph.finish()
    });
    &RELATED
}

impl StemGraph {
    /// Finds the stems that are closest to one, by one step or two, itself excepted.
    pub(super) fn near(&self, stem: &str) -> Vec<Neighbour> {
        let Some(id) = self.ids.get(stem) else {
            return Vec::new();
        };
        let mut close: HashMap<u16, f32, FixedState> = HashMap::default();
        for first in self.neighbours(*id) {
            *close.entry(first.stem).or_default() += first.closeness;
            let passed = SECOND * first.closeness * self.transit_weights[usize::from(first.stem)];
            for second in self.neighbours(first.stem) {
                *close.entry(second.stem).or_default() += passed * second.closeness;
            }
        }
        close.remove(id);
        let close = close.into_iter().map(|(stem, close)| Neighbour {
            stem,
            closeness: close.min(1.0),
        });
        let close = close.filter(|near| near.closeness >= MIN_CLOSENESS);
        closest(close.collect(), MAX_RELATED)
    }

    fn neighbours(&self, stem: u16) -> &[Neighbour] {
        let stem = usize::from(stem);
        &self.neighbours[self.starts[stem] as usize..self.starts[stem + 1] as usize]
    }
}

fn closest(mut neighbours: Vec<Neighbour>, most: usize) -> Vec<Neighbour> {
    let order = |a: &Neighbour, b: &Neighbour| {
        let closer = b.closeness.total_cmp(&a.closeness);
        closer.then(a.stem.cmp(&b.stem))
    };
    if neighbours.len() > most {
        neighbours.select_nth_unstable_by(most, order);
        neighbours.truncate(most);
    }
    neighbours.sort_unstable_by(order);
    neighbours
}

/// The graph while it is read.
#[derive(Default)]
struct StemGraphBuilder {
    stems: Vec<String>,
    ids: HashMap<String, u16, FixedState>,
    near: Vec<HashMap<u16, f32, FixedState>>,
}

impl StemGraphBuilder {
    fn read_everyday(&mut self, text: &str) {
        for line in text.lines() {
            let words = line.split(' ').map(|word| self.id(normal(word)));
            let words: Vec<u16> = words.collect();
            let Some((word, others)) = words.split_first() else {
                continue;
            };
            let mut close = FIRST;
            for other in others {
                self.put(*word, *other, close);
                close *= FURTHER;
            }
        }
    }

    /// Reads the table: the count of the stems, the stems, and of each the count of its neighbours and the neighbours.
    fn read_table(&mut self, table: &[u8]) {
        let mut bytes = table.iter().copied().skip_while(|byte| *byte != 0).skip(1);
        let mut next = || bytes.next().unwrap_or_default();
        let count = u16::from_le_bytes([next(), next()]);
        let mut ids = Vec::with_capacity(usize::from(count));
        let mut stem = String::new();
        for _ in 0..count {
            // Each stem is written as what it shares with the one before it, and the rest, whose last letter is marked.
            stem.truncate(usize::from(next()));
            loop {
                let letter = next();
                stem.push(char::from(letter & 0x7f));
                if letter & 0x80 != 0 || letter == 0 {
                    break;
                }
            }
            ids.push(self.id(stem.clone()));
        }
        for word in 0..ids.len() {
            for _ in 0..next() {
                let packed = u16::from_le_bytes([next(), next()]);
                let close = (f32::from(packed & 3) + 1.0) / LEVELS;
                if let Some(other) = ids.get(usize::from(packed >> 2)) {
                    self.put(ids[word], *other, close);
                }
            }
        }
    }

    fn id(&mut self, stem: String) -> u16 {
        // The stems of the table have fourteen bits, and a line of the other list adds few.
        let next = u16::try_from(self.stems.len()).unwrap_or(u16::MAX);
        *self.ids.entry(stem).or_insert_with_key(|stem| {
            self.stems.push(stem.clone());
            self.near.push(HashMap::default());
            next
        })
    }

    fn put(&mut self, word: u16, other: u16, close: f32) {
        let mut keep = |from: u16, to: u16, close: f32| {
            let kept = self.near[usize::from(from)].entry(to).or_default();
            *kept = kept.max(close);
        };
        if word != other {
            keep(word, other, close);
            keep(other, word, close * BACK);
        }
    }

    fn finish(self) -> StemGraph {
        let mut starts = vec![0];
        let mut neighbours = Vec::new();
        let mut passed = vec![0_f32; self.stems.len()];
        for near in self.near {
            let near = near.into_iter();
            let near = near.map(|(stem, closeness)| Neighbour { stem, closeness });
            neighbours.extend(closest(near.collect(), MAX_NEIGHBOURS));
            starts.push(u32::try_from(neighbours.len()).unwrap_or(u32::MAX));
        }
        for neighbour in &neighbours {
            passed[usize::from(neighbour.stem)] += 1.0;
        }
        let weight = |count: f32| (SELECT / count.max(SELECT)).sqrt();
        StemGraph {
            stems: self.stems,
            ids: self.ids,
            starts,
            neighbours,
            transit_weights: passed.into_iter().map(weight).collect(),
        }
    }
}
