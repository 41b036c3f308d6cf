//! The read-only sub-commands of git.

use super::options::is_harmful;
use super::subcommands::{Subcommands, alone, judge_subcommand, sub, with_files};
use crate::git::subcommand;
use crate::heuristics::command_facts::{CommandEffect, CommandFacts};
use crate::name_list::{NameList, names};
use crate::script::ScriptWord;

/// Options of the sub-commands that show differences: they run a program, or write a file.
const SHOWS: &str = "--ext-diff --textconv --output";

static SUBS: &[Subcommands] = &[
    with_files(
        "annotate, blame, diff, diff-files, diff-index, diff-tree, log, show",
        SHOWS,
    ),
    sub(
        "cherry, check-attr, check-ignore, check-mailmap, check-ref-format, describe, \
         for-each-ref, ls-files, ls-tree, merge-base, name-rev, rev-list, rev-parse, show-branch, \
         show-ref, status, var, notes list, submodule status, reflog exists, reflog list, \
         remote get-url, verify-pack",
        "",
    ),
    with_files("cat-file", "--textconv --filters"),
    alone(
        "count-objects, version, worktree list, bisect log, remote, lfs ls-files, lfs env, \
         lfs status",
        "",
    ),
    with_files("grep", "-O --open-files-in-pager --textconv --ext-grep"),
    sub(
        "range-diff, whatchanged, stash list, stash show, notes show, reflog show, diff-pairs",
        SHOWS,
    ),
    sub("shortlog", "--output"),
    sub("help", "-w --web -i --info"),
];

static REFLOG: Subcommands = with_files("reflog", SHOWS);

/// Returns the effect of a git command.
pub(super) fn judge(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    const WHO: NameList =
        NameList::new("--version --help -h -v --exec-path --html-path --man-path");
    if words.len() == 2 && WHO.has(&words[1].text) {
        return CommandEffect::Reads;
    }
    let Some(at) = subcommand(words) else {
        return CommandEffect::Other;
    };
    let rest = &words[at..];
    if rest[0].fixed().is_none() {
        return facts.unknown();
    }
    match &*rest[0].text {
        "branch" => lists(rest, &BRANCH, facts),
        "tag" => lists(rest, &TAG, facts),
        "config" => config(rest, facts),
        "symbolic-ref" => symbolic_ref(rest, facts),
        "remote" => remote(rest, facts),
        "ls-remote" => ls_remote(rest, facts),
        // Without an operand, `git reflog` shows the log.
        "reflog" => match rest.get(1).map(|word| &*word.text) {
            Some("expire" | "delete" | "drop" | "write") => judge_subcommand(SUBS, rest, facts),
            _ => REFLOG.judge(&rest[1..], facts),
        },
        "stash" if rest.len() == 1 => CommandEffect::Other,
        _ => judge_subcommand(SUBS, rest, facts),
    }
}

/// A sub-command that lists, unless an operand names an object to create.
struct ListingSubcommand {
    harmful: NameList,
    /// The options with which operands are patterns or commits.
    listing_options: NameList,
}

static BRANCH: ListingSubcommand = ListingSubcommand {
    harmful: names!(
        "-d -D -m -M -c -C -f -u -t --delete --move --copy --force --set-upstream-to \
              --set-upstream --unset-upstream --edit-description --track --create-reflog \
              --recurse-submodules"
    ),
    listing_options: names!("-l --list --contains --no-contains --merged --no-merged --points-at"),
};

static TAG: ListingSubcommand = ListingSubcommand {
    harmful: names!(
        "-a -s -u -d -f -m -F -e -v --annotate --sign --local-user --delete --force --message \
              --file --edit --create-reflog --verify --trailer"
    ),
    listing_options: names!(
        "-l --list -n --contains --no-contains --merged --no-merged --points-at"
    ),
};

fn lists(
    words: &[ScriptWord<'_>],
    kind: &ListingSubcommand,
    facts: &mut CommandFacts,
) -> CommandEffect {
    let mut is_listing = false;
    let mut operands = 0;
    for word in &words[1..] {
        if word.is_dynamic {
            return facts.unknown();
        }
        let text = &*word.text;
        if !text.starts_with('-') {
            operands += 1;
            continue;
        }
        let name = text.split_once('=').map_or(text, |(name, _)| name);
        let mut harmful = kind.harmful.iter();
        let is_in_cluster = |option: &str| {
            option.len() == 2 && !name.starts_with("--") && name[1..].contains(&option[1..])
        };
        if is_harmful(name, kind.harmful) || harmful.any(is_in_cluster) {
            return CommandEffect::Other;
        }
        is_listing |= kind.listing_options.has(name)
            || !name.starts_with("--") && (name.contains('l') || name.starts_with("-n"));
        // `--sort key`, `--format text`: the value is not an operand.
        if matches!(text, "--sort" | "--format" | "--color" | "--abbrev") {
            operands -= 1;
        }
    }
    CommandEffect::reads_if(operands <= 0 || is_listing)
}

fn config(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    const WHERE: NameList = NameList::new(
        "--global --local --system --worktree --show-origin --show-scope \
                         --name-only -z --null --includes --no-includes --bool --int --path --all \
                         --show-names",
    );
    const READS: NameList = NameList::new(
        "--get --get-all --get-regexp --get-urlmatch --list -l get list \
                         --get-color --get-colorbool",
    );
    let mut reads = false;
    let mut operands = 0;
    for (at, word) in words.iter().enumerate().skip(1) {
        if word.is_dynamic {
            return facts.unknown();
        }
        let text = &*word.text;
        if at <= 3 && READS.has(text) {
            reads = true;
        } else if text.starts_with('-') {
            let is_known = WHERE.has(text)
                || text.starts_with("--type=")
                || text.starts_with("--default=")
                || text.starts_with("--regexp");
            if !is_known {
                return CommandEffect::Other;
            }
        } else {
            operands += 1;
        }
    }
    let asks_one = operands == 1 && words.last().is_some_and(|word| word.text.contains('.'));
    CommandEffect::reads_if(reads || asks_one)
}

fn symbolic_ref(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    if words.iter().any(|word| word.is_dynamic) {
        return facts.unknown();
    }
    let (options, operands): (Vec<_>, Vec<_>) = words[1..]
        .iter()
        .partition(|word| word.text.starts_with('-'));
    let is_harmless = options
        .iter()
        .all(|word| names!("-q --quiet --short").has(&word.text));
    CommandEffect::reads_if(is_harmless && operands.len() == 1)
}

fn remote(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    let texts: Vec<&str> = words[1..].iter().map(|word| &*word.text).collect();
    if words.iter().any(|word| word.is_dynamic) {
        return facts.unknown();
    }
    match texts[..] {
        [] | ["-v" | "--verbose" | "show"] | ["get-url", ..] => CommandEffect::Reads,
        // A name rather than an address: an address may name a program to run.
        ["show", name] | ["show", "-n", name] if is_name(name) => CommandEffect::Reads,
        _ => CommandEffect::Other,
    }
}

fn ls_remote(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    const KNOWN: NameList = NameList::new(
        "--heads --tags -h -t --refs --branches -q --quiet --exit-code --get-url \
                         --symref",
    );
    for word in &words[1..] {
        if word.is_dynamic {
            return facts.unknown();
        }
        if !KNOWN.has(&word.text) && !is_name(&word.text) {
            return CommandEffect::Other;
        }
    }
    CommandEffect::Reads
}

fn is_name(text: &str) -> bool {
    !text.starts_with(['-', '.', '/', '~'])
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_-/*.".contains(&b))
}
