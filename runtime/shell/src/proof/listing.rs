//! What a command that only reads writes: names of files, numbers, or anything.

use crate::find::sources;
use crate::specs::Word;

use super::evaluate::Source;
use super::expand::literal;
use super::state::is_number;

/// Says what a command writes.
pub(super) fn output(words: &[Word], input: Source) -> Source {
    let Some(program) = words.first().and_then(Word::known) else {
        return Source::Unknown;
    };
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&&*word.text));
    let is_exact = words.iter().all(|word| word.is_exact);
    match program {
        "find" => find(words),
        "fd" | "fdfind" | "ls" => Source::Listed,
        "git" if has(&["ls-files", "ls-tree", "--name-only"]) => Source::Listed,
        "rg" | "grep" if has(&["-l", "-rl", "--files", "--files-with-matches"]) => Source::Listed,
        "grep" | "sort" | "uniq" | "head" | "tail" if is_exact && keeps_lines(words) => input,
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

/// Reports whether a filter reads its input, and hands on some of its lines as they are: `head -c`, `grep -o` and
/// `uniq -c` write others.
fn keeps_lines(words: &[Word]) -> bool {
    let program = &*words[0].text;
    let (flags, valued) = match program {
        "grep" => ("EFGPaisvwxy", ""),
        "sort" => ("Vbdfghinru", "kt"),
        "uniq" => ("dui", ""),
        _ => ("q", "n"),
    };
    let mut patterns = 0;
    let mut arguments = words[1..].iter().map(|word| &*word.text);
    while let Some(argument) = arguments.next() {
        let Some(letters) = argument.strip_prefix('-') else {
            patterns += 1;
            continue;
        };
        let is_count = program != "grep" && program != "uniq" && is_number(letters);
        let is_valued = letters.starts_with(|first| valued.contains(first));
        if is_valued && letters.len() == 1 {
            arguments.next();
        } else if !is_valued && !is_count && !is_plain(letters, flags) {
            return false;
        }
    }
    patterns == usize::from(program == "grep")
}

/// Reports whether a bundle has no other options than these.
fn is_plain(letters: &str, flags: &str) -> bool {
    !letters.is_empty() && letters.chars().all(|letter| flags.contains(letter))
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
