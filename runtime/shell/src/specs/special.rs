//! Programs with their own argument syntax.

use super::judged::{CommandJudgement, Effect};
use super::table::SpecialProgram;
use super::word::Word;
use crate::name_list::{NameList, names};

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

const TREE_FLAGS: &str = "ACDFJNQSUXacdfghilnpqrstuvx";
const TREE_LONG: NameList = NameList::new(
    "--device --dirsfirst --du --filesfirst --gitignore --help --ignore-case \
                         --inodes --matchdirs --metafirst --nolinks --noreport --prune --si \
                         --version",
);
const TREE_VALUED: NameList = NameList::new("-I -L -P --charset --filelimit --sort --timefmt");

/// Judges `tree`: a letter in a bundle takes its value from the next word, so options with a value must not be bundled.
///
/// `-R` and `-o` write.
fn tree(arguments: &[Word]) -> CommandJudgement {
    let mut judged = CommandJudgement::new_reading();
    let mut rest = arguments;
    let mut is_over = false;
    while let Some(word) = rest.split_off_first() {
        if is_over || !may_be_option(word) {
            judged.read(word);
            continue;
        }
        let text = word.known().unwrap_or_default();
        if text == "--" {
            is_over = true;
        } else if TREE_VALUED.has(text) {
            if rest.split_off_first().is_some_and(|word| word.may_be_many) {
                judged.hide();
            }
        } else if text == "-o" {
            judged.raise(Effect::Acts);
            if let Some(word) = rest.split_off_first() {
                judged.write(word);
            }
        } else {
            let name = text.split_once('=').map_or(text, |(name, _)| name);
            let is_flag = match text.strip_prefix("--") {
                Some(_) => TREE_LONG.has(text) || name.len() < text.len() && TREE_VALUED.has(name),
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

/// A lone `-` is the standard input.
fn may_be_option(word: &Word) -> bool {
    word.may_be_option() && word.known() != Some("-")
}

const JQ_FLAGS: &str = "CMRSacejnrs";
const JQ_LONG: NameList = NameList::new(
    "--ascii-output --color-output --compact-output --exit-status --help \
                       --join-output --monochrome-output --null-input --raw-input --raw-output \
                       --seq --slurp --sort-keys --stream --tab --unbuffered --version",
);

/// Judges `jq`: its program may read the environment, and files as modules.
fn jq(arguments: &[Word]) -> CommandJudgement {
    let mut judged = CommandJudgement::new_reading();
    let mut rest = arguments;
    let mut has_program = false;
    while let Some(word) = rest.split_off_first() {
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
            "--arg" | "--argjson" | "--slurpfile" | "--rawfile" => {
                let values = [rest.split_off_first(), rest.split_off_first()];
                if values.iter().flatten().any(|word| word.may_be_many) {
                    judged.hide();
                }
                if let Some(file) = values[1].filter(|_| text.ends_with("file")) {
                    judged.read(file);
                }
            }
            "--indent" if rest.first().is_some_and(|word| word.is_exact) => rest = &rest[1..],
            _ if JQ_LONG.has(text) => {}
            _ if !text.starts_with("--")
                && text.len() > 1
                && text[1..].chars().all(|letter| JQ_FLAGS.contains(letter)) => {}
            _ => judged.hide(),
        }
    }
    judged
}

/// Reports whether a jq program contains no name that reads the environment or a file.
fn only_filters(program: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut names = program.split(|c| !is_part(c));
    !names.any(|name| names!("env ENV import include modulemeta get_search_list").has(name))
}

/// Judges `yq`: two programs have this name, and calls are accepted that only read in both.
fn yq(arguments: &[Word]) -> CommandJudgement {
    let mut judged = CommandJudgement::new_reading();
    let options = arguments
        .iter()
        .take_while(|word| word.is_one_of(names!("-r -e -C -M")));
    let Some((program, files)) = arguments[options.count()..].split_first() else {
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
