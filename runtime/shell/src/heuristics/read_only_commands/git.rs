//! git: what of it only reads.

use super::options::is_harmful;
use super::subcommands::{Subcommand, alone, sub, with_files};
use crate::git::subcommand;
use crate::heuristics::command_facts::{CommandEffect, CommandFacts};
use crate::script::ScriptWord;

/// Options of whatever shows a difference: they run a program, or write.
const SHOWS: &[&str] = &["--ext-diff", "--textconv", "--output"];

static SUBS: &[Subcommand] = &[
    with_files("annotate", SHOWS),
    with_files("blame", SHOWS),
    sub("cherry", &[]),
    with_files("cat-file", &["--textconv", "--filters"]),
    sub("check-attr", &[]),
    sub("check-ignore", &[]),
    sub("check-mailmap", &[]),
    sub("check-ref-format", &[]),
    alone("count-objects", &[]),
    sub("describe", &[]),
    with_files("diff", SHOWS),
    with_files("diff-files", SHOWS),
    with_files("diff-index", SHOWS),
    with_files("diff-tree", SHOWS),
    sub("for-each-ref", &[]),
    with_files(
        "grep",
        &["-O", "--open-files-in-pager", "--textconv", "--ext-grep"],
    ),
    with_files("log", SHOWS),
    sub("ls-files", &[]),
    sub("ls-tree", &[]),
    sub("merge-base", &[]),
    sub("name-rev", &[]),
    sub("range-diff", SHOWS),
    sub("rev-list", &[]),
    sub("rev-parse", &[]),
    sub("shortlog", &["--output"]),
    with_files("show", SHOWS),
    sub("show-branch", &[]),
    sub("show-ref", &[]),
    sub("status", &[]),
    sub("var", &[]),
    alone("version", &[]),
    sub("whatchanged", SHOWS),
    sub("help", &["-w", "--web", "-i", "--info"]),
    alone("worktree list", &[]),
    sub("stash list", SHOWS),
    sub("stash show", SHOWS),
    sub("notes list", &[]),
    sub("notes show", SHOWS),
    alone("bisect log", &[]),
    sub("submodule status", &[]),
    sub("reflog show", SHOWS),
    sub("reflog exists", &[]),
    sub("reflog list", &[]),
    alone("remote", &[]),
    sub("remote get-url", &[]),
    sub("verify-pack", &[]),
    sub("diff-pairs", SHOWS),
    alone("lfs ls-files", &[]),
    alone("lfs env", &[]),
    alone("lfs status", &[]),
];

static REFLOG: Subcommand = with_files("reflog", SHOWS);

/// Returns what git does with its arguments.
pub(super) fn judge(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    let asks_who = words.len() == 2
        && matches!(
            &*words[1].text,
            "--version" | "--help" | "-h" | "-v" | "--exec-path" | "--html-path" | "--man-path"
        );
    if asks_who {
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
        // Without a word of its own it shows the log.
        "reflog"
            if !matches!(
                rest.get(1).map(|word| &*word.text),
                Some("expire" | "delete" | "drop" | "write")
            ) =>
        {
            REFLOG.judge_rest(&rest[1..], facts)
        }
        "stash" if rest.len() == 1 => CommandEffect::Other,
        name => {
            let second = rest.get(1).map_or("", |word| &*word.text);
            match find(name, second) {
                Some((sub, taken)) => sub.judge_rest(&rest[taken..], facts),
                None => CommandEffect::Other,
            }
        }
    }
}

fn find(name: &str, second: &str) -> Option<(&'static Subcommand, usize)> {
    let double = SUBS.iter().find(|sub| {
        sub.path()
            .split_once(' ')
            .is_some_and(|path| path == (name, second))
    });
    if let Some(sub) = double {
        return Some((sub, 2));
    }
    SUBS.iter()
        .find(|sub| sub.path() == name)
        .map(|sub| (sub, 1))
}

/// A sub-command that lists unless an argument says what to make.
struct ListingSubcommand {
    harmful: &'static [&'static str],
    /// With one of these, operands are patterns or commits.
    listing_options: &'static [&'static str],
}

static BRANCH: ListingSubcommand = ListingSubcommand {
    harmful: &[
        "-d",
        "-D",
        "-m",
        "-M",
        "-c",
        "-C",
        "-f",
        "-u",
        "-t",
        "--delete",
        "--move",
        "--copy",
        "--force",
        "--set-upstream-to",
        "--set-upstream",
        "--unset-upstream",
        "--edit-description",
        "--track",
        "--create-reflog",
        "--recurse-submodules",
    ],
    listing_options: &[
        "-l",
        "--list",
        "--contains",
        "--no-contains",
        "--merged",
        "--no-merged",
        "--points-at",
    ],
};

static TAG: ListingSubcommand = ListingSubcommand {
    harmful: &[
        "-a",
        "-s",
        "-u",
        "-d",
        "-f",
        "-m",
        "-F",
        "-e",
        "-v",
        "--annotate",
        "--sign",
        "--local-user",
        "--delete",
        "--force",
        "--message",
        "--file",
        "--edit",
        "--create-reflog",
        "--verify",
        "--trailer",
    ],
    listing_options: &[
        "-l",
        "--list",
        "-n",
        "--contains",
        "--no-contains",
        "--merged",
        "--no-merged",
        "--points-at",
    ],
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
        let in_cluster = |option: &str| {
            option.len() == 2 && !name.starts_with("--") && name[1..].contains(&option[1..])
        };
        if is_harmful(name, kind.harmful) || kind.harmful.iter().any(|option| in_cluster(option)) {
            return CommandEffect::Other;
        }
        is_listing |= kind.listing_options.contains(&name)
            || !name.starts_with("--") && (name.contains('l') || name.starts_with("-n"));
        // `--sort key`, `--format text`: the value is no operand.
        if matches!(text, "--sort" | "--format" | "--color" | "--abbrev") {
            operands -= 1;
        }
    }
    if operands <= 0 || is_listing {
        CommandEffect::Reads
    } else {
        CommandEffect::Other
    }
}

fn config(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    const WHERE: &[&str] = &[
        "--global",
        "--local",
        "--system",
        "--worktree",
        "--show-origin",
        "--show-scope",
        "--name-only",
        "-z",
        "--null",
        "--includes",
        "--no-includes",
        "--bool",
        "--int",
        "--path",
        "--all",
        "--show-names",
    ];
    const READS: &[&str] = &[
        "--get",
        "--get-all",
        "--get-regexp",
        "--get-urlmatch",
        "--list",
        "-l",
        "get",
        "list",
        "--get-color",
        "--get-colorbool",
    ];
    let mut reads = false;
    let mut operands = 0;
    for (at, word) in words.iter().enumerate().skip(1) {
        if word.is_dynamic {
            return facts.unknown();
        }
        let text = &*word.text;
        if at <= 3 && READS.contains(&text) {
            reads = true;
        } else if text.starts_with('-') {
            let is_known = WHERE.contains(&text)
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
    if reads || asks_one {
        CommandEffect::Reads
    } else {
        CommandEffect::Other
    }
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
        .all(|word| matches!(&*word.text, "-q" | "--quiet" | "--short"));
    if is_harmless && operands.len() == 1 {
        CommandEffect::Reads
    } else {
        CommandEffect::Other
    }
}

fn remote(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    let texts: Vec<&str> = words[1..].iter().map(|word| &*word.text).collect();
    if words.iter().any(|word| word.is_dynamic) {
        return facts.unknown();
    }
    match texts[..] {
        [] | ["-v" | "--verbose" | "show"] | ["get-url", ..] => CommandEffect::Reads,
        // A name, and no address: an address may say what to run.
        ["show", name] | ["show", "-n", name] if is_name(name) => CommandEffect::Reads,
        _ => CommandEffect::Other,
    }
}

fn ls_remote(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    for word in &words[1..] {
        if word.is_dynamic {
            return facts.unknown();
        }
        let text = &*word.text;
        let is_known = matches!(
            text,
            "--heads"
                | "--tags"
                | "-h"
                | "-t"
                | "--refs"
                | "--branches"
                | "-q"
                | "--quiet"
                | "--exit-code"
                | "--get-url"
                | "--symref"
        );
        if !is_known && !is_name(text) {
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
