//! Stems of English words, by the rules of the Snowball project's second Porter stemmer.
//!
//! Implemented here because the available crates include seventeen other languages and have not been updated for years.

/// Exceptional words and their stems.
const SPECIAL: [(&str, &str); 18] = [
    ("andes", "andes"),
    ("atlas", "atlas"),
    ("bias", "bias"),
    ("cosmos", "cosmos"),
    ("dying", "die"),
    ("early", "earli"),
    ("gently", "gentl"),
    ("howe", "howe"),
    ("idly", "idl"),
    ("lying", "lie"),
    ("news", "news"),
    ("only", "onli"),
    ("singly", "singl"),
    ("skies", "sky"),
    ("skis", "ski"),
    ("sky", "sky"),
    ("tying", "tie"),
    ("ugly", "ugli"),
];

/// Words that are not stemmed further after the ending of a plural is removed.
const DONE: [&str; 8] = [
    "canning", "earring", "exceed", "herring", "inning", "outing", "proceed", "succeed",
];

/// Prefixes after which the first region begins, whatever their vowels.
const BEGINNINGS: [&str; 3] = ["arsen", "commun", "gener"];

/// Endings of the second step that are replaced in the first region.
const SECOND: [(&str, &str); 22] = [
    ("ational", "ate"),
    ("fulness", "ful"),
    ("iveness", "ive"),
    ("ization", "ize"),
    ("ousness", "ous"),
    ("biliti", "ble"),
    ("lessli", "less"),
    ("tional", "tion"),
    ("alism", "al"),
    ("aliti", "al"),
    ("ation", "ate"),
    ("entli", "ent"),
    ("fulli", "ful"),
    ("iviti", "ive"),
    ("ousli", "ous"),
    ("abli", "able"),
    ("alli", "al"),
    ("anci", "ance"),
    ("ator", "ate"),
    ("enci", "ence"),
    ("izer", "ize"),
    ("bli", "ble"),
];

const THIRD: [(&str, &str); 8] = [
    ("ational", "ate"),
    ("tional", "tion"),
    ("alize", "al"),
    ("icate", "ic"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ness", ""),
    ("ful", ""),
];

/// Endings of the fourth step that are removed in the second region.
const FOURTH: [&str; 18] = [
    "ement", "able", "ance", "ence", "ible", "ment", "ant", "ate", "ent", "ion", "ism", "iti",
    "ive", "ize", "ous", "al", "er", "ic",
];

/// Returns the stem of a word in lower case. A word with letters other than `a` to `z` is returned unchanged.
pub(super) fn stem(word: &str) -> String {
    if word.len() <= 2 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word.to_owned();
    }
    if let Ok(place) = SPECIAL.binary_search_by_key(&word, |(special, _)| special) {
        return SPECIAL[place].1.to_owned();
    }
    let mut stem = Stemmer::new(word);
    stem.plural();
    if !DONE.contains(&&*stem.letters) {
        stem.step_1b();
        stem.final_y();
        stem.second();
        stem.third();
        stem.fourth();
        stem.last();
    }
    stem.letters.make_ascii_lowercase();
    stem.letters
}

/// A word that is being stemmed. A consonant `y` is written as `Y`.
struct Stemmer {
    letters: String,
    /// The starts of the two regions: after the first syllable, and after the second.
    region_1: usize,
    region_2: usize,
}

impl Stemmer {
    fn new(word: &str) -> Self {
        let mut letters = String::with_capacity(word.len() + 1);
        let mut after_vowel = true;
        for letter in word.chars() {
            let is_consonant = letter == 'y' && after_vowel;
            let letter = if is_consonant { 'Y' } else { letter };
            after_vowel = is_vowel(letter as u8);
            letters.push(letter);
        }
        let beginning = BEGINNINGS.iter().find(|of| word.starts_with(**of));
        let region_1 =
            beginning.map_or_else(|| behind_syllable(&letters, 0), |beginning| beginning.len());
        let region_2 = behind_syllable(&letters, region_1);
        Self {
            letters,
            region_1,
            region_2,
        }
    }

    fn cut(&mut self, letters: usize) {
        self.letters.truncate(self.letters.len() - letters);
    }

    fn before(&self, ending: usize) -> &[u8] {
        &self.letters.as_bytes()[..self.letters.len() - ending]
    }

    /// Returns whether an ending of the given length follows one of the letters.
    fn follows(&self, ending: usize, letters: &[u8]) -> bool {
        let last = self.before(ending).last();
        last.is_some_and(|letter| letters.contains(letter))
    }

    fn find_ending<'t>(&self, endings: &'t [(&str, &str)]) -> Option<&'t (&'t str, &'t str)> {
        let mut endings = endings.iter();
        endings.find(|(ending, _)| self.letters.ends_with(ending))
    }

    fn plural(&mut self) {
        if self.letters.ends_with("sses") {
            self.cut(2);
        } else if self.letters.ends_with("ied") || self.letters.ends_with("ies") {
            self.cut(if self.letters.len() > 4 { 2 } else { 1 });
        } else if self.letters.ends_with('s')
            && !self.letters.ends_with("us")
            && !self.letters.ends_with("ss")
            && has_vowel(self.before(2))
        {
            self.cut(1);
        }
    }

    fn step_1b(&mut self) {
        for ending in ["eedly", "eed"] {
            if self.letters.ends_with(ending) {
                if self.letters.len() - ending.len() >= self.region_1 {
                    self.cut(ending.len() - 2);
                }
                return;
            }
        }
        let mut endings = ["ingly", "edly", "ing", "ed"].into_iter();
        let ending = endings.find(|ending| self.letters.ends_with(ending));
        let Some(ending) = ending.filter(|ending| has_vowel(self.before(ending.len()))) else {
            return;
        };
        self.cut(ending.len());
        let doubled = ["bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt"];
        let ends_with = |end: &&str| self.letters.ends_with(end);
        if ["at", "bl", "iz"].iter().any(ends_with) {
            self.letters.push('e');
        } else if doubled.iter().any(ends_with) {
            self.cut(1);
        } else if self.region_1 >= self.letters.len() && ends_short(self.letters.as_bytes()) {
            self.letters.push('e');
        }
    }

    fn final_y(&mut self) {
        if self.letters.ends_with(['y', 'Y'])
            && let before = self.before(1)
            && before.len() > 1
            && before.last().is_some_and(|letter| !is_vowel(*letter))
        {
            self.cut(1);
            self.letters.push('i');
        }
    }

    fn second(&mut self) {
        if let Some((ending, instead)) = self.find_ending(&SECOND) {
            self.replace(self.region_1, ending, instead);
        } else if self.letters.ends_with("logi") {
            self.replace(self.region_1, "ogi", "og");
        } else if self.letters.ends_with("li") && self.follows(2, b"cdeghkmnrt") {
            self.replace(self.region_1, "li", "");
        }
    }

    fn third(&mut self) {
        if let Some((ending, instead)) = self.find_ending(&THIRD) {
            self.replace(self.region_1, ending, instead);
        } else if self.letters.ends_with("ative") {
            self.replace(self.region_2, "ative", "");
        }
    }

    fn fourth(&mut self) {
        let mut endings = FOURTH.into_iter();
        let ending = endings.find(|ending| self.letters.ends_with(ending));
        let Some(ending) = ending else { return };
        if ending != "ion" || self.follows(3, b"st") {
            self.replace(self.region_2, ending, "");
        }
    }

    fn last(&mut self) {
        let length = self.letters.len().saturating_sub(1);
        let goes = match self.letters.as_bytes().last() {
            Some(b'e') => {
                length >= self.region_2 || (length >= self.region_1 && !ends_short(self.before(1)))
            }
            Some(b'l') => length >= self.region_2 && self.before(1).ends_with(b"l"),
            _ => false,
        };
        if goes {
            self.cut(1);
        }
    }

    /// Replaces an ending that begins at or after a position.
    fn replace(&mut self, from: usize, ending: &str, instead: &str) {
        if self.letters.len() - ending.len() >= from {
            self.cut(ending.len());
            self.letters.push_str(instead);
        }
    }
}

fn is_vowel(letter: u8) -> bool {
    b"aeiouy".contains(&letter)
}

fn has_vowel(letters: &[u8]) -> bool {
    letters.iter().any(|letter| is_vowel(*letter))
}

/// Returns the position after the next vowel and the consonant that follows it.
fn behind_syllable(letters: &str, from: usize) -> usize {
    let rest = &letters.as_bytes()[from..];
    let consonant = rest
        .windows(2)
        .position(|pair| is_vowel(pair[0]) && !is_vowel(pair[1]));
    consonant.map_or(letters.len(), |place| from + place + 2)
}

/// Returns whether the letters end in a short syllable, as in `hop` but not in `heap`.
fn ends_short(letters: &[u8]) -> bool {
    match letters {
        [first, second] => is_vowel(*first) && !is_vowel(*second),
        [.., before, vowel, last] => {
            !is_vowel(*before) && is_vowel(*vowel) && !is_vowel(*last) && !b"wxY".contains(last)
        }
        _ => false,
    }
}
