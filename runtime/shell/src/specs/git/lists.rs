//! Sub-commands that list, and that change something with other arguments.

use super::super::table::{NONE, OperandSpec, OptSpec, Spec, flag, optional, spec, text};
use super::log::log;
use OperandSpec::{Names, Nothing, Text};

/// Second-level sub-commands. Sorted by name.
pub(super) static SECOND: &[Spec] = &[
    spec("bisect log", Nothing),
    spec("notes list", Text),
    log("notes show"),
    log("reflog show"),
    spec("remote get-url", Text).flags("", "all push"),
    log("stash list"),
    spec("stash show", Text).flags(
        "pu",
        "include-untracked only-untracked patch stat name-only name-status",
    ),
    spec("submodule status", Names).flags("q", "cached quiet"),
    spec("worktree list", Nothing)
        .flags("vz", "porcelain verbose")
        .options(&[text(NONE, "expire", "now")]),
];

const LISTING: &[OptSpec] = &[
    flag('l', "list"),
    text(NONE, "contains", "HEAD"),
    text(NONE, "no-contains", "HEAD~1"),
    text(NONE, "merged", "HEAD"),
    text(NONE, "no-merged", "HEAD"),
    text(NONE, "points-at", "HEAD"),
    text(NONE, "sort", "refname"),
    text(NONE, "format", "%(refname)"),
    optional(NONE, "abbrev", "8"),
    optional(NONE, "color", "never"),
    optional(NONE, "column", "never"),
    optional('n', "", "2"),
];

/// Sub-commands that list, unless there is an operand without an option that makes the operand a pattern.
pub(super) static LISTS: &[Spec] = &[
    spec("branch", Nothing)
        .flags(
            "aivr",
            "all ignore-case no-abbrev no-color no-column remotes show-current verbose omit-empty",
        )
        .options(LISTING),
    spec("tag", Nothing)
        .flags("i", "ignore-case no-column no-color omit-empty")
        .options(LISTING),
];

/// `git config`, for queries of values.
pub(super) static CONFIG: Spec = spec("config", Text)
    .flags(
        "lz",
        "bool bool-or-int get get-all get-regexp get-urlmatch global includes int list local \
         name-only no-includes null path show-names show-origin show-scope system worktree all \
         regexp",
    )
    .options(&[
        text(NONE, "type", "bool"),
        text(NONE, "default", "x"),
        text(NONE, "value", "x"),
    ])
    .stops_at_operand();
