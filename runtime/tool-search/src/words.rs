//! The words of a text, in their normalized form. All searches of helve share them.

use super::stem::stem;

/// The maximum length of a word in bytes: longer words are data.
const MAX_WORD_BYTES: usize = 40;

/// Stop words: words that do not describe an action or an object.
#[rustfmt::skip]
const STOP_WORDS: &[&str] = &[
    "a",
    "about",
    "actually",
    "after",
    "again",
    "all",
    "already",
    "also",
    "am",
    "an",
    "and",
    "any",
    "anything",
    "are",
    "as",
    "at",
    "be",
    "because",
    "been",
    "before",
    "being",
    "but",
    "by",
    "can",
    "cannot",
    "could",
    "did",
    "do",
    "does",
    "doesn",
    "doing",
    "don",
    "down",
    "each",
    "either",
    "else",
    "every",
    "few",
    "for",
    "from",
    "gave",
    "get",
    "gets",
    "getting",
    "give",
    "given",
    "go",
    "goes",
    "going",
    "gone",
    "got",
    "had",
    "has",
    "have",
    "having",
    "he",
    "hello",
    "help",
    "her",
    "here",
    "hers",
    "hey",
    "hi",
    "him",
    "his",
    "how",
    "i",
    "if",
    "in",
    "into",
    "is",
    "isn",
    "it",
    "its",
    "just",
    "let",
    "lets",
    "like",
    "ll",
    "m",
    "made",
    "make",
    "makes",
    "many",
    "may",
    "maybe",
    "me",
    "might",
    "mine",
    "more",
    "most",
    "much",
    "must",
    "my",
    "need",
    "needs",
    "no",
    "nor",
    "not",
    "of",
    "off",
    "on",
    "once",
    "one",
    "only",
    "onto",
    "or",
    "other",
    "others",
    "our",
    "ours",
    "out",
    "over",
    "own",
    "please",
    "put",
    "re",
    "really",
    "s",
    "same",
    "she",
    "should",
    "show",
    "shown",
    "so",
    "some",
    "somebody",
    "someone",
    "something",
    "such",
    "t",
    "take",
    "taken",
    "tell",
    "than",
    "thanks",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "thing",
    "things",
    "this",
    "those",
    "through",
    "to",
    "told",
    "too",
    "took",
    "under",
    "until",
    "up",
    "upon",
    "us",
    "use",
    "used",
    "uses",
    "using",
    "ve",
    "very",
    "via",
    "want",
    "wants",
    "was",
    "we",
    "went",
    "were",
    "what",
    "when",
    "where",
    "whether",
    "which",
    "while",
    "who",
    "whom",
    "whose",
    "why",
    "will",
    "with",
    "within",
    "without",
    "won",
    "would",
    "you",
    "your",
    "yours",
];

/// Calls a function with each word of a text that is not a stop word, in lower case. At most `most` words are read.
pub(crate) fn each_word(text: &str, most: usize, mut see: impl FnMut(&str)) {
    let mut lower = String::with_capacity(MAX_WORD_BYTES);
    let pieces = text.split(|character: char| !character.is_alphanumeric());
    let words = pieces.flat_map(identifier_words);
    for word in words.take(most) {
        if word.len() > MAX_WORD_BYTES {
            continue;
        }
        lower.clear();
        lower.extend(word.chars().flat_map(char::to_lowercase));
        if !is_stop_word(&lower) {
            see(&lower);
        }
    }
}

/// Returns whether a word in lower case is a stop word of English, which does not describe an action or an object.
#[must_use]
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// Iterates over the words of an identifier without punctuation: those of `getWeather` are `get` and `Weather`.
pub fn identifier_words(identifier: &str) -> impl Iterator<Item = &str> {
    CamelCaseWords(identifier)
}

/// Irregular forms that the rules of the stemmer do not cover, with their base forms.
const IRREGULAR: &[(&str, &str)] = &[
    ("arose", "arise"),
    ("ate", "eat"),
    ("became", "become"),
    ("began", "begin"),
    ("begun", "begin"),
    ("bent", "bend"),
    ("bit", "bite"),
    ("bled", "bleed"),
    ("blew", "blow"),
    ("blown", "blow"),
    ("bore", "bear"),
    ("bought", "buy"),
    ("bound", "bind"),
    ("broke", "break"),
    ("broken", "break"),
    ("brought", "bring"),
    ("built", "build"),
    ("burnt", "burn"),
    ("came", "come"),
    ("caught", "catch"),
    ("children", "child"),
    ("chose", "choose"),
    ("chosen", "choose"),
    ("dealt", "deal"),
    ("drank", "drink"),
    ("drawn", "draw"),
    ("drew", "draw"),
    ("driven", "drive"),
    ("drove", "drive"),
    ("eaten", "eat"),
    ("fallen", "fall"),
    ("fed", "feed"),
    ("feet", "foot"),
    ("fell", "fall"),
    ("felt", "feel"),
    ("fled", "flee"),
    ("flew", "fly"),
    ("flown", "fly"),
    ("forgot", "forget"),
    ("forgotten", "forget"),
    ("fought", "fight"),
    ("found", "find"),
    ("froze", "freeze"),
    ("frozen", "freeze"),
    ("grew", "grow"),
    ("grown", "grow"),
    ("heard", "hear"),
    ("held", "hold"),
    ("hid", "hide"),
    ("hidden", "hide"),
    ("indices", "index"),
    ("kept", "keep"),
    ("knew", "know"),
    ("known", "know"),
    ("laid", "lay"),
    ("leant", "lean"),
    ("learnt", "learn"),
    ("led", "lead"),
    ("lent", "lend"),
    ("lost", "lose"),
    ("meant", "mean"),
    ("men", "man"),
    ("met", "meet"),
    ("mice", "mouse"),
    ("paid", "pay"),
    ("people", "person"),
    ("proven", "prove"),
    ("ran", "run"),
    ("rang", "ring"),
    ("ridden", "ride"),
    ("risen", "rise"),
    ("rode", "ride"),
    ("rose", "rise"),
    ("said", "say"),
    ("sang", "sing"),
    ("sat", "sit"),
    ("saw", "see"),
    ("seen", "see"),
    ("sent", "send"),
    ("shook", "shake"),
    ("shot", "shoot"),
    ("shrank", "shrink"),
    ("shrunk", "shrink"),
    ("slept", "sleep"),
    ("sold", "sell"),
    ("sought", "seek"),
    ("spent", "spend"),
    ("spoke", "speak"),
    ("spoken", "speak"),
    ("spun", "spin"),
    ("stole", "steal"),
    ("stolen", "steal"),
    ("stood", "stand"),
    ("stuck", "stick"),
    ("sung", "sing"),
    ("sunk", "sink"),
    ("swept", "sweep"),
    ("swollen", "swell"),
    ("swum", "swim"),
    ("taught", "teach"),
    ("teeth", "tooth"),
    ("thought", "think"),
    ("threw", "throw"),
    ("thrown", "throw"),
    ("tore", "tear"),
    ("torn", "tear"),
    ("understood", "understand"),
    ("withdrawn", "withdraw"),
    ("withdrew", "withdraw"),
    ("woke", "wake"),
    ("women", "woman"),
    ("wore", "wear"),
    ("worn", "wear"),
    ("written", "write"),
    ("wrote", "write"),
];

/// Returns the normalized form of a word in lower case: its stem, or the stem of its base form.
#[must_use]
pub fn normal(word: &str) -> String {
    let regular = IRREGULAR.binary_search_by_key(&word, |(form, _)| form);
    stem(regular.map_or(word, |place| IRREGULAR[place].1))
}

/// Iterates over the words of an identifier, such as `getWeather` or `HTTPServer`.
struct CamelCaseWords<'a>(&'a str);

impl<'a> Iterator for CamelCaseWords<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.0.is_empty() {
            return None;
        }
        let mut before = ' ';
        let mut characters = self.0.char_indices().peekable();
        let mut end = self.0.len();
        while let Some((place, character)) = characters.next() {
            let next = characters.peek();
            let next_is_lower = next.is_some_and(|(_, next)| next.is_lowercase());
            let begins = character.is_uppercase()
                && (before.is_lowercase()
                    || before.is_numeric()
                    || before.is_uppercase() && next_is_lower);
            if begins {
                end = place;
                break;
            }
            before = character;
        }
        let (word, rest) = self.0.split_at(end);
        self.0 = rest;
        Some(word)
    }
}
