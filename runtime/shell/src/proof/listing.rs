//! The output of commands that only read: names of files, numbers, or unknown content.

use crate::heuristics::sources;
use crate::name_list::NameList;
use crate::specs::Word;

use super::evaluated::literal;
use super::evaluator::StreamContent;
use super::state::is_number;

/// Returns the content of a command's output.
pub(super) fn output(words: &[Word], input: StreamContent) -> StreamContent {
    let Some(program) = words.first().and_then(Word::known) else {
        return StreamContent::Unknown;
    };
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&&*word.text));
    let is_exact = words.iter().all(|word| word.is_exact);
    match program {
        "find" => find(words),
        "fd" | "fdfind" => StreamContent::Listed,
        // The names that `ls` lists have no folder.
        "ls" if !words.iter().any(shows_hidden) => StreamContent::Listed,
        "git" if is_exact && lists_names(words) => StreamContent::Listed,
        "rg" | "grep" if is_exact && names_only(words) => StreamContent::Listed,
        "grep" | "sort" | "uniq" | "head" | "tail" if is_exact && keeps_lines(words) => {
            // A line of NUL-terminated names is not itself a name.
            match input {
                StreamContent::Named => StreamContent::Listed,
                input => input,
            }
        }
        "seq"
            if is_exact
                && words.len() > 1
                && words[1..].iter().all(|word| is_number(&word.text)) =>
        {
            StreamContent::Number
        }
        "nproc" if words.len() == 1 => StreamContent::Number,
        "wc" if words.len() == 2 && has(&["-l", "-c", "-w"]) => StreamContent::Number,
        "date" if words.len() == 2 && has(&["+%s", "+%Y"]) => StreamContent::Number,
        _ => StreamContent::Unknown,
    }
}

/// Reports whether a word is an option such as `ls -a`.
fn shows_hidden(word: &Word) -> bool {
    let letters = word.text.strip_prefix('-').unwrap_or_default();
    !word.is_exact || letters.starts_with('-') || letters.contains(['a', 'A', 'f'])
}

/// Reports whether a git command writes only paths: an option may add text of the repository, or of the command line,
/// between them.
fn lists_names(words: &[Word]) -> bool {
    const PLAIN: NameList = NameList::new(
        "-- -z -c -o -m -r --cached --deleted --exclude-standard --modified --name-only \
        --no-renames --others --staged",
    );
    let arguments = words.get(2..).unwrap_or_default();
    let has_names = arguments.iter().any(|word| word.text == "--name-only");
    let is_listing = match words[1..].first().map_or("", |word| &*word.text) {
        "ls-files" => !has_names,
        "ls-tree" | "diff" => has_names,
        _ => false,
    };
    let is_plain = |word: &Word| {
        !word.text.starts_with('-')
            || PLAIN.has(&word.text)
            || word.text.starts_with("--diff-filter=")
    };
    is_listing && arguments.iter().all(is_plain)
}

/// Reports whether the command only lists names: `grep -l PATTERN FILE…`, `rg -l PATTERN` or `rg --files`.
fn names_only(words: &[Word]) -> bool {
    const LISTS: [&str; 5] = ["-l", "-rl", "-lr", "--files", "--files-with-matches"];
    words[1..].split_first().is_some_and(|(option, rest)| {
        LISTS.contains(&&*option.text) && rest.iter().all(|word| !word.text.starts_with('-'))
    })
}

/// Reports whether a filter passes on lines of its input unchanged: `head -c`, `grep -o` and `uniq -c` write other
/// lines.
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

/// Reports whether a bundle contains only the given options.
fn is_plain(letters: &str, flags: &str) -> bool {
    !letters.is_empty() && letters.chars().all(|letter| flags.contains(letter))
}

/// Returns the output of `find`: the listed names match its tests, unless the search starts at the root or the home
/// folder.
fn find(words: &[Word]) -> StreamContent {
    let words: Vec<_> = words.iter().map(literal).collect();
    let names: Vec<String> = sources::searched_names(&words).collect();
    let is_plain = names
        .iter()
        .all(|name| !name.contains('.') || name.starts_with('*'));
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&&*word.text));
    if !is_plain || has(&["-printf", "-ls", "-exec"]) || sources::searches_everything(&words) {
        return StreamContent::Unknown;
    }
    let is_negated = has(&["-o", "-or", "!", "-not", ",", "-print"]);
    let is_named = names.iter().any(|name| is_harmless_name_pattern(name));
    if has(&["-print0"]) && is_named && !is_negated {
        StreamContent::Named
    } else {
        StreamContent::Listed
    }
}

/// Reports whether a pattern such as `*.rs` matches a file extension that is not one of keys or settings.
fn is_harmless_name_pattern(name: &str) -> bool {
    const SECRET: [&str; 8] = [
        "env", "pem", "key", "p12", "pfx", "secret", "token", "netrc",
    ];
    name.strip_prefix("*.").is_some_and(|ending| {
        ending.bytes().all(|byte| byte.is_ascii_alphanumeric()) && !SECRET.contains(&ending)
    })
}
