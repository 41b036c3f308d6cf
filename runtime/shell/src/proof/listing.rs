//! What a command that only reads writes: names of files, numbers, or anything.

use crate::sources;
use crate::specs::Word;

use super::call::literal;
use super::evaluate::Source;
use super::state::is_number;

/// Says what a command writes.
pub(super) fn output(words: &[Word], input: Source) -> Source {
    let Some(program) = words.first().and_then(Word::known) else {
        return Source::Unknown;
    };
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&&*word.text));
    let operands = words[1..].iter().filter(|word| !word.text.starts_with('-'));
    let is_exact = words.iter().all(|word| word.is_exact);
    match program {
        "find" => find(words),
        "fd" | "fdfind" | "ls" => Source::Listed,
        "git" if has(&["ls-files", "ls-tree", "--name-only"]) => Source::Listed,
        "rg" | "grep" if has(&["-l", "-rl", "--files", "--files-with-matches"]) => Source::Listed,
        "grep" if operands.clone().count() == 1 => input,
        "sort" | "uniq" | "head" | "tail" => {
            let reads_input = is_exact && operands.clone().all(|word| is_number(&word.text));
            if reads_input { input } else { Source::Unknown }
        }
        "seq"
            if is_exact
                && words.len() > 1
                && words[1..].iter().all(|word| is_number(&word.text)) =>
        {
            Source::Number
        }
        "nproc" if words.len() == 1 => Source::Number,
        "wc" if words.len() == 2 && has(&["-l", "-c", "-w"]) => Source::Number,
        "date" if words.len() == 2 && has(&["+%s", "+%Y"]) => Source::Number,
        _ => Source::Unknown,
    }
}

/// What `find` lists is named by its tests, unless it starts where everything is.
fn find(words: &[Word]) -> Source {
    let words: Vec<_> = words.iter().map(literal).collect();
    let is_plain =
        sources::searched_names(&words).all(|name| !name.contains('.') || name.starts_with('*'));
    let prints = words
        .iter()
        .any(|word| matches!(&*word.text, "-printf" | "-ls" | "-exec"));
    if is_plain && !prints && !sources::searches_everything(&words) {
        Source::Listed
    } else {
        Source::Unknown
    }
}
