//! Programs that only read, and the options that make them do more.
//!
//! One row a program. What is not in a table only reads if somebody says so; an option that is not known to be harmful
//! is taken for harmless, so each row names everything that writes, runs a program or reaches the network. Long options
//! may be abbreviated, short ones stand in clusters, and both are seen through.

mod builds;
mod files;
mod git;
mod git_push;
mod packages;
mod places;
mod platforms;
mod special;
mod subs;
mod system;
mod text;

use super::command_facts::{CommandFacts, Effect};
use super::script::Word;

pub(crate) use git::subcommand as git_subcommand;
pub(crate) use git_push::push;

/// A program that only reads.
pub(crate) struct ReadOnlySpec {
    name: &'static str,
    operands: Operands,
    /// The short options whose value is a word of its own, or stands attached.
    valued: &'static str,
    /// The options that write, run a program, reach the network or change something. Short ones are letters with a dash.
    harmful: &'static [&'static str],
}

/// What the operands of a reader are.
#[derive(Clone, Copy)]
enum Operands {
    /// Text that does nothing, whatever it says.
    Text,
    /// Names of files, of which it says something, but not what is in them.
    Names,
    /// Files whose content it shows.
    Files,
    /// A pattern, then files whose content it shows.
    Pattern,
    /// There must be none.
    Nothing,
    /// They decide what it does.
    Judged(fn(&[Word<'_>], &mut CommandFacts) -> Effect),
}

const fn read_only(
    name: &'static str,
    operands: Operands,
    valued: &'static str,
    harmful: &'static [&'static str],
) -> ReadOnlySpec {
    ReadOnlySpec {
        name,
        operands,
        valued,
        harmful,
    }
}

static TABLES: [&[ReadOnlySpec]; 6] = [
    text::TABLE,
    files::TABLE,
    system::TABLE,
    builds::TABLE,
    packages::TABLE,
    platforms::TABLE,
];

fn find(program: &str) -> Option<&'static ReadOnlySpec> {
    TABLES.iter().find_map(|table| {
        let index = table
            .binary_search_by(|reader| reader.name.cmp(program))
            .ok()?;
        Some(&table[index])
    })
}

/// Says what a program does with its arguments, where it is one that may only read.
pub(crate) fn judge(program: &str, words: &[Word<'_>], facts: &mut CommandFacts) -> Option<Effect> {
    let reader = find(program)?;
    if let Operands::Judged(judge) = reader.operands {
        return Some(judge(words, facts));
    }
    Some(reader.judge(words, facts))
}

/// Reports whether its arguments are text that does nothing.
pub(crate) fn takes_text(program: &str) -> bool {
    find(program).is_some_and(|reader| matches!(reader.operands, Operands::Text))
}

impl ReadOnlySpec {
    fn judge(&self, words: &[Word<'_>], facts: &mut CommandFacts) -> Effect {
        let options = Options::new(&words[1..], self.valued);
        let mut seen_pattern = !matches!(self.operands, Operands::Pattern);
        for item in options {
            match item {
                Item::Operand(word) => {
                    if matches!(self.operands, Operands::Text) {
                        continue;
                    }
                    if word.is_dynamic && !self.takes_any(word) {
                        return facts.unknown();
                    }
                    if word.text.starts_with('+') && matches!(self.name, "less" | "more") {
                        // A command of the pager, which may run another.
                        return Effect::Acts;
                    }
                    if matches!(self.operands, Operands::Nothing) {
                        return Effect::Acts;
                    }
                    if !seen_pattern {
                        seen_pattern = true;
                        continue;
                    }
                    facts.read(word);
                }
                Item::Option { name, value, word } => {
                    if word.is_dynamic && !matches!(self.operands, Operands::Text) {
                        return facts.unknown();
                    }
                    if is_harmful(name, self.harmful) {
                        return Effect::Acts;
                    }
                    if matches!(name, "-e" | "--regexp" | "-f" | "--file")
                        && matches!(self.operands, Operands::Pattern)
                    {
                        seen_pattern = true;
                    }
                    if let Some(value) = value.filter(|_| names_a_file(name)) {
                        facts.read_text(value, word);
                    }
                }
            }
        }
        Effect::Reads
    }

    /// Names alone say little; and no option of such a program does harm, whatever the word becomes.
    fn takes_any(&self, _: &Word<'_>) -> bool {
        matches!(self.operands, Operands::Names) && self.harmful.is_empty()
    }
}

/// Reports whether the value of an option may be a file that is read: not where it says what to leave out, or how to
/// show it.
fn names_a_file(name: &str) -> bool {
    const NOT_FILES: [&str; 22] = [
        "--exclude",
        "--include",
        "--ignore",
        "--glob",
        "--iglob",
        "--regexp",
        "--type",
        "--color",
        "--format",
        "--pretty",
        "--since",
        "--until",
        "--after",
        "--before",
        "--author",
        "--grep",
        "--sort",
        "--date",
        "--prune",
        "--context",
        "--max",
        "--line",
    ];
    if !name.starts_with("--") {
        return !matches!(
            name,
            "-e" | "-g"
                | "-I"
                | "-P"
                | "-n"
                | "-A"
                | "-B"
                | "-C"
                | "-t"
                | "-T"
                | "-d"
                | "-F"
                | "-m"
                | "-c"
                | "-w"
                | "-s"
                | "-k"
        );
    }
    !NOT_FILES.iter().any(|prefix| name.starts_with(prefix))
}

/// Reports whether an option is one of these, or an abbreviation of one.
fn is_harmful(name: &str, harmful: &[&str]) -> bool {
    harmful.iter().any(|option| {
        if name.starts_with("--") && option.starts_with("--") {
            name.len() > 2 && option.starts_with(name)
        } else {
            *option == name
        }
    })
}

/// One option or operand.
enum Item<'w, 'a> {
    Operand(&'w Word<'a>),
    /// An option, its value where one is attached or follows, and the word that it stands in.
    Option {
        name: &'w str,
        value: Option<&'w str>,
        word: &'w Word<'a>,
    },
}

/// Goes through arguments as `getopt` does: clusters, attached values, options behind operands, `--`.
struct Options<'w, 'a> {
    words: &'w [Word<'a>],
    valued: &'static str,
    /// What is left of a cluster.
    cluster: Option<(&'w Word<'a>, usize)>,
    is_over: bool,
}

impl<'w, 'a> Options<'w, 'a> {
    fn new(words: &'w [Word<'a>], valued: &'static str) -> Self {
        Self {
            words,
            valued,
            cluster: None,
            is_over: false,
        }
    }

    fn take(&mut self) -> Option<&'w Word<'a>> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(first)
    }

    fn in_cluster(&mut self, word: &'w Word<'a>, at: usize) -> Option<Item<'w, 'a>> {
        let text = &*word.text;
        let letter = text[at..].chars().next()?;
        let next = at + letter.len_utf8();
        let name = short(letter);
        if self.valued.contains(letter) {
            self.cluster = None;
            let value = if next < text.len() {
                Some(&text[next..])
            } else {
                self.take().map(|word| &*word.text)
            };
            return Some(Item::Option { name, value, word });
        }
        self.cluster = (next < text.len()).then_some((word, next));
        Some(Item::Option {
            name,
            value: None,
            word,
        })
    }
}

impl<'w, 'a> Iterator for Options<'w, 'a> {
    type Item = Item<'w, 'a>;

    fn next(&mut self) -> Option<Item<'w, 'a>> {
        if let Some((word, at)) = self.cluster {
            return self.in_cluster(word, at);
        }
        let word = self.take()?;
        let text = &*word.text;
        if self.is_over || text.len() < 2 || !text.starts_with('-') {
            return Some(Item::Operand(word));
        }
        if text == "--" {
            self.is_over = true;
            return self.next();
        }
        if text.starts_with("--") {
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (text, None),
            };
            return Some(Item::Option { name, value, word });
        }
        self.in_cluster(word, 1)
    }
}

/// Returns a letter with a dash, without making text of it.
fn short(letter: char) -> &'static str {
    const LETTERS: &str = "-a-b-c-d-e-f-g-h-i-j-k-l-m-n-o-p-q-r-s-t-u-v-w-x-y-z-A-B-C-D-E-F-G-H-I-J-K-L-M-N-O-P-Q-R-S-T-U-V-W-X-Y-Z-0-1-2-3-4-5-6-7-8-9-@-#-?-%-+-,-.-/-:-=";
    match LETTERS
        .char_indices()
        .skip(1)
        .step_by(2)
        .find(|(_, known)| *known == letter)
    {
        Some((at, _)) => &LETTERS[at - 1..=at],
        None => "-",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted_and_disjoint() {
        let mut all: Vec<&str> = Vec::new();
        for table in TABLES {
            for pair in table.windows(2) {
                assert!(
                    pair[0].name < pair[1].name,
                    "{} {}",
                    pair[0].name,
                    pair[1].name
                );
            }
            all.extend(table.iter().map(|reader| reader.name));
        }
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn options_are_taken_as_getopt_takes_them() {
        let words: Vec<Word<'_>> = ["-an5", "x", "--out=y", "-n", "6", "--", "-z"]
            .map(Word::literal)
            .into();
        let shown: Vec<String> = Options::new(&words, "n")
            .map(|item| match item {
                Item::Operand(word) => word.text.to_string(),
                Item::Option { name, value, .. } => format!("{name}={value:?}"),
            })
            .collect();
        let expected = [
            "-a=None",
            "-n=Some(\"5\")",
            "x",
            "--out=Some(\"y\")",
            "-n=Some(\"6\")",
            "-z",
        ];
        assert_eq!(shown, expected);
    }
}
