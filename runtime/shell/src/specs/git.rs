//! The read-only sub-commands of `git`.

mod lists;
mod log;
mod tables;

use super::common::apply;
use super::getopt::{GetoptItem, GetoptIter, OptValue};
use super::judged::CommandJudgement;
use super::runners;
use super::table::{self, Spec};
use super::word::Word;
use crate::name_list::{NameList, names};
use lists::{CONFIG, LISTS, SECOND};
use tables::TABLE;

/// The options before the sub-command that change nothing.
const BEFORE: NameList = NameList::new(
    "--no-pager -P --no-replace-objects --literal-pathspecs --glob-pathspecs \
                      --noglob-pathspecs --icase-pathspecs --no-optional-locks --no-advice \
                      --no-lazy-fetch",
);

/// Judges the arguments of `git`.
pub(crate) fn judge(arguments: &[Word]) -> CommandJudgement {
    let before = arguments.iter().take_while(|word| word.is_one_of(BEFORE));
    let Some((first, arguments)) = arguments[before.count()..].split_first() else {
        return CommandJudgement::new_reading();
    };
    let Some(name) = first.known() else {
        return CommandJudgement::new_opaque();
    };
    if arguments.is_empty() && matches!(name, "--version" | "-v" | "--help" | "-h") {
        return CommandJudgement::new_reading();
    }
    if name.starts_with('-') {
        // `-C`, `-c`, `--git-dir`, `--exec-path`: another repository, or another configuration.
        return CommandJudgement::new_opaque();
    }
    match reading(name, arguments) {
        // A reading command with unlisted options is opaque. Those options are unknown for a command that does more
        // than read as well, so the judgement stays opaque.
        Some(judged) if judged.is_opaque || !asks_for_signatures(arguments) => judged,
        _ => runners::git(name, arguments),
    }
}

/// Judges a sub-command that may only read; returns `None` if it does more.
fn reading(name: &str, arguments: &[Word]) -> Option<CommandJudgement> {
    let mut judged = CommandJudgement::new_reading();
    let second = arguments.first().and_then(Word::known).unwrap_or_default();
    match name {
        "branch" | "tag" => return lists(table::find(LISTS, name)?, arguments),
        "config" => return config(arguments),
        "symbolic-ref" => return symbolic_ref(arguments),
        "reflog" => {
            let rest = match second {
                "show" => &arguments[1..],
                _ if arguments.is_empty() || second.starts_with('-') || second == "HEAD" => {
                    arguments
                }
                _ => return None,
            };
            apply(table::find(SECOND, "reflog show")?, rest, &mut judged);
        }
        "remote" => return remote(arguments),
        "stash" | "worktree" | "notes" | "bisect" | "submodule" => {
            let spec = SECOND.iter().find(|spec| {
                let path = spec.name.split_once(' ');
                path == Some((name, second))
            })?;
            apply(spec, &arguments[1..], &mut judged);
        }
        "ls-remote" => {
            judged.network = true;
            apply(table::find(TABLE, name)?, arguments, &mut judged);
            if !arguments.iter().all(is_remote_name) {
                return judged.is_opaque.then_some(judged);
            }
        }
        _ => apply(table::find(TABLE, name)?, arguments, &mut judged),
    }
    if (0..arguments.len()).any(|at| remerges(&arguments[at..])) {
        return judged.is_opaque.then_some(judged);
    }
    for word in arguments {
        // `HEAD:file`, `-L1,5:file`.
        if let Some((_, file)) = word.text.rsplit_once(':')
            && !file.is_empty()
            && word.is_exact
            && !word.text.starts_with("--")
        {
            judged.read(&Word::from_text(file));
        }
    }
    Some(judged)
}

/// Reports whether programs that verify signatures may be started.
fn asks_for_signatures(arguments: &[Word]) -> bool {
    let mut before = "";
    arguments.iter().any(|word| {
        let text = &*word.text;
        let option = std::mem::replace(&mut before, text);
        let (option, value) = match text.split_once('=') {
            Some((option, value)) if text.starts_with("--") => (option, value),
            _ => (option, text),
        };
        let shows = match option {
            "--format" | "--sort" if text != option => {
                !word.is_exact || names_format(option, value)
            }
            "--pretty" if text.contains('=') => !word.is_exact || names_format(option, value),
            _ => false,
        };
        shows || text.contains("%(") && text.contains("signature") || verifies(text)
    })
}

/// Reports whether a format displays the result of a signature check: `%G?`, `%+G?`.
fn verifies(format: &str) -> bool {
    format
        .split('%')
        .skip(1)
        .any(|rest| rest.trim_start_matches(['+', '-', ' ']).starts_with('G'))
}

/// Reports whether a value names a format that the configuration defines, or sorts by a signature.
fn names_format(option: &str, value: &str) -> bool {
    const KNOWN: NameList =
        NameList::new("oneline short medium full fuller reference email mboxrd raw");
    if option == "--sort" {
        return value.contains("signature");
    }
    let is_text =
        value.contains('%') || value.starts_with("format:") || value.starts_with("tformat:");
    !is_text && !value.is_empty() && !KNOWN.has(value)
}

/// Reports whether the arguments contain `--diff-merges=remerge`, which writes objects.
fn remerges(arguments: &[Word]) -> bool {
    match arguments[0].text.strip_prefix("--diff-merges") {
        Some("") => arguments
            .get(1)
            .is_none_or(|value| !value.is_exact || value.text.starts_with('r')),
        Some(value) => !arguments[0].is_exact || value.starts_with("=r"),
        None => false,
    }
}

/// Judges `git branch` and `git tag`: an operand creates an object, unless an option makes the operand a pattern.
fn lists(spec: &'static Spec, arguments: &[Word]) -> Option<CommandJudgement> {
    const LISTS_BY: NameList =
        NameList::new("list contains no-contains merged no-merged points-at");
    let (mut is_listing, mut operands) = (false, 0);
    for item in GetoptIter::new(spec, arguments) {
        match item {
            GetoptItem::Flag => {}
            GetoptItem::Operand(..) => operands += 1,
            GetoptItem::Unknown | GetoptItem::Unclear(_) => return None,
            GetoptItem::Option(opt, value) => {
                let may_be_option =
                    |value: OptValue<'_>| value.word.may_be_many || value.text.starts_with('-');
                if value.is_some_and(|value| value.is_whole && may_be_option(value)) {
                    return None;
                }
                is_listing |= LISTS_BY.has(opt.long) || opt.short == b'n' && spec.name == "tag";
                if opt.short == b'n' && spec.name == "branch" {
                    return None;
                }
            }
        }
    }
    (is_listing || operands == 0).then(CommandJudgement::new_reading)
}

/// Judges `git config`: an option, `get` or `list` queries values, and so does a single name. A word after a name is
/// the new value, in any form.
fn config(arguments: &[Word]) -> Option<CommandJudgement> {
    const ASKS: NameList = NameList::new("-l --list --get --get-all --get-regexp --get-urlmatch");
    let (operands, first) = config_operands(arguments)?;
    let asks = arguments[..first].iter().any(|word| ASKS.has(&word.text));
    let reads = match operands[..] {
        _ if asks => true,
        ["list" | "get", ..] => {
            let (names, _) = config_operands(&arguments[first + 1..])?;
            !names.iter().any(|name| name.starts_with('-'))
        }
        [name] => name.contains('.'),
        _ => false,
    };
    reads.then(CommandJudgement::new_reading)
}

/// Returns the operands and the index of the first operand; `None` if the arguments are ambiguous.
fn config_operands(arguments: &[Word]) -> Option<(Vec<&str>, usize)> {
    let mut operands = Vec::new();
    let mut first = arguments.len();
    for item in GetoptIter::new(&CONFIG, arguments) {
        match item {
            GetoptItem::Operand(word, at) => {
                first = first.min(at);
                operands.push(word.known()?);
            }
            GetoptItem::Flag => {}
            GetoptItem::Option(_, value)
                if value.is_none_or(|value| {
                    value.word.is_exact && !(value.is_whole && value.text.starts_with('-'))
                }) => {}
            GetoptItem::Option(..) | GetoptItem::Unknown | GetoptItem::Unclear(_) => return None,
        }
    }
    Some((operands, first))
}

/// Judges `git symbolic-ref`: a second operand, or `-d`, changes a reference.
fn symbolic_ref(arguments: &[Word]) -> Option<CommandJudgement> {
    let (options, operands): (Vec<_>, Vec<_>) = arguments
        .iter()
        .partition(|word| word.text.starts_with('-'));
    let is_harmless = options
        .iter()
        .all(|word| word.is_one_of(names!("-q --quiet --short")));
    let [operand] = operands[..] else { return None };
    (is_harmless && operand.is_exact).then(CommandJudgement::new_reading)
}

/// Judges `git remote`: it displays the configured remotes, and data that it requests from a remote.
fn remote(arguments: &[Word]) -> Option<CommandJudgement> {
    let texts: Option<Vec<&str>> = arguments.iter().map(Word::known).collect();
    let mut judged = CommandJudgement::new_reading();
    match texts?[..] {
        [] | ["-v" | "--verbose" | "show"] | ["show", "-n", _] => {}
        ["get-url", ..] => {
            apply(
                table::find(SECOND, "remote get-url")?,
                &arguments[1..],
                &mut judged,
            );
        }
        ["show", _] if is_remote_name(&arguments[1]) => judged.network = true,
        _ => return None,
    }
    Some(judged)
}

/// Reports whether a word is the name of a remote or a reference, and not an address: an address may name a program to
/// run.
fn is_remote_name(word: &Word) -> bool {
    let is_name = word
        .text
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"_-/*.=".contains(&b));
    word.is_exact && is_name && !word.text.starts_with(['.', '/'])
}

/// Calls a function for the spec of each sub-command.
pub(crate) fn each_spec(call: impl FnMut(&'static Spec)) {
    let lists = TABLE.iter().chain(SECOND).chain(LISTS);
    lists.chain([&CONFIG]).for_each(call);
}
