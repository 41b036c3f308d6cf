//! Programs that read their arguments in a way of their own.

use super::judged::{CommandJudgement, Effect};
use super::table::SpecialProgram;
use super::word::Word;

/// Sorted by name.
pub(crate) static TABLE: &[SpecialProgram] = &[
    SpecialProgram {
        name: "jq",
        judge: |arguments| Some(jq(arguments)),
        samples: &[
            "jq . <list.txt",
            "jq -n '{a: 1}'",
            "jq -r .name a.txt",
            "jq --arg a b -n '$a'",
            "jq --slurpfile a x -n 1",
            "jq --indent 2 -c . a.txt",
        ],
    },
    SpecialProgram {
        name: "tree",
        judge: |arguments| Some(tree(arguments)),
        samples: &[
            "tree",
            "tree -a -L 2",
            "tree -I '*.o' --dirsfirst src",
            "tree --sort=name -- src",
        ],
    },
    SpecialProgram {
        name: "yq",
        judge: |arguments| Some(yq(arguments)),
        samples: &[
            "/usr/local/bin/yq . a.txt",
            "/usr/local/bin/yq -r '.a[0]' a.txt",
        ],
    },
];

/// Returns the next argument as a value.
fn value<'w>(rest: &mut &'w [Word]) -> Option<&'w Word> {
    let (first, others) = rest.split_first()?;
    *rest = others;
    Some(first)
}

const TREE_FLAGS: &str = "ACDFJNQSUXacdfghilnpqrstuvx";
const TREE_LONG: &[&str] = &[
    "--device",
    "--dirsfirst",
    "--du",
    "--filesfirst",
    "--gitignore",
    "--help",
    "--ignore-case",
    "--inodes",
    "--matchdirs",
    "--metafirst",
    "--nolinks",
    "--noreport",
    "--prune",
    "--si",
    "--version",
];
const TREE_VALUED: &[&str] = &[
    "-I",
    "-L",
    "-P",
    "--charset",
    "--filelimit",
    "--sort",
    "--timefmt",
];

/// `tree`: a letter in a bundle takes its value from the next word, so those with a value stand alone.
///
/// `-R` and `-o` write.
fn tree(arguments: &[Word]) -> CommandJudgement {
    let mut judged = CommandJudgement::new_reading();
    let mut rest = arguments;
    let mut is_over = false;
    while let Some(word) = value(&mut rest) {
        if is_over || !may_be_option(word) {
            judged.read(word);
            continue;
        }
        let text = word.known().unwrap_or_default();
        if text == "--" {
            is_over = true;
        } else if TREE_VALUED.contains(&text) {
            if value(&mut rest).is_some_and(|word| word.may_be_many) {
                judged.hide();
            }
        } else if text == "-o" {
            judged.raise(Effect::Acts);
            if let Some(word) = value(&mut rest) {
                judged.write(word);
            }
        } else {
            let name = text.split_once('=').map_or(text, |(name, _)| name);
            let is_flag = match text.strip_prefix("--") {
                Some(_) => {
                    TREE_LONG.contains(&text)
                        || name.len() < text.len() && TREE_VALUED.contains(&name)
                }
                None => {
                    text.len() > 1 && text[1..].chars().all(|letter| TREE_FLAGS.contains(letter))
                }
            };
            if !is_flag {
                judged.hide();
            }
        }
    }
    judged
}

fn may_be_option(word: &Word) -> bool {
    word.text.starts_with('-') && (word.text.len() > 1 || !word.is_exact)
        || word.text.is_empty() && !word.is_exact
}

const JQ_FLAGS: &str = "CMRSacejnrs";
const JQ_LONG: &[&str] = &[
    "--ascii-output",
    "--color-output",
    "--compact-output",
    "--exit-status",
    "--help",
    "--join-output",
    "--monochrome-output",
    "--null-input",
    "--raw-input",
    "--raw-output",
    "--seq",
    "--slurp",
    "--sort-keys",
    "--stream",
    "--tab",
    "--unbuffered",
    "--version",
];

/// `jq`: its program may read the environment, and files as modules.
fn jq(arguments: &[Word]) -> CommandJudgement {
    let mut judged = CommandJudgement::new_reading();
    let mut rest = arguments;
    let mut has_program = false;
    while let Some(word) = value(&mut rest) {
        if !may_be_option(word) {
            if has_program {
                judged.read(word);
                continue;
            }
            has_program = true;
            if !word.known().is_some_and(only_filters) {
                judged.hide();
            }
            continue;
        }
        let text = word.known().unwrap_or_default();
        match text {
            "--arg" | "--argjson" => {
                let values = [value(&mut rest), value(&mut rest)];
                if values.iter().flatten().any(|word| word.may_be_many) {
                    judged.hide();
                }
            }
            "--slurpfile" | "--rawfile" => {
                let values = [value(&mut rest), value(&mut rest)];
                if values.iter().flatten().any(|word| word.may_be_many) {
                    judged.hide();
                }
                if let Some(file) = values[1] {
                    judged.read(file);
                }
            }
            "--indent" if rest.first().is_some_and(|word| word.is_exact) => rest = &rest[1..],
            _ if JQ_LONG.contains(&text) => {}
            _ if !text.starts_with("--")
                && text.len() > 1
                && text[1..].chars().all(|letter| JQ_FLAGS.contains(letter)) => {}
            _ => judged.hide(),
        }
    }
    judged
}

/// Reports whether a program of jq names nothing that reads the environment or a file.
fn only_filters(program: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    program.split(|c| !is_part(c)).all(|name| {
        !matches!(
            name,
            "env" | "ENV" | "import" | "include" | "modulemeta" | "get_search_list"
        )
    })
}

/// `yq`: two programs have this name; what both take for reading is accepted.
fn yq(arguments: &[Word]) -> CommandJudgement {
    let mut judged = CommandJudgement::new_reading();
    let mut rest = arguments;
    while let Some(word) = rest.first()
        && matches!(word.known(), Some("-r" | "-e" | "-C" | "-M"))
    {
        rest = &rest[1..];
    }
    let Some((program, files)) = rest.split_first() else {
        return judged;
    };
    let is_path = program.known().is_some_and(|text| {
        text.starts_with('.')
            && text
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"_.[]\"-".contains(&b))
    });
    if !is_path || files.iter().any(may_be_option) {
        judged.hide();
    }
    files.iter().for_each(|file| judged.read(file));
    judged
}
