//! Sub-commands that list, and that change something with other arguments.

use super::super::table::{NONE, OperandSpec, OptSpec, Spec, flag, optional, spec, text};
use super::log::log;
use OperandSpec::{Names, Nothing, Text};

/// Sub-commands of sub-commands. Sorted by name.
pub(super) static SECOND: &[Spec] = &[
    spec("bisect log", Nothing),
    spec("notes list", Text),
    log("notes show"),
    log("reflog show"),
    Spec {
        long: &["all", "push"],
        ..spec("remote get-url", Text)
    },
    log("stash list"),
    Spec {
        long: &[
            "include-untracked",
            "only-untracked",
            "patch",
            "stat",
            "name-only",
            "name-status",
        ],
        flags: "pu",
        ..spec("stash show", Text)
    },
    Spec {
        long: &["cached", "quiet"],
        flags: "q",
        ..spec("submodule status", Names)
    },
    Spec {
        flags: "vz",
        long: &["porcelain", "verbose"],
        options: &[text(NONE, "expire", "now")],
        ..spec("worktree list", Nothing)
    },
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

/// Sub-commands that list, unless an operand is there without an option that makes it a pattern.
pub(super) static LISTS: &[Spec] = &[
    Spec {
        flags: "aivr",
        long: &[
            "all",
            "ignore-case",
            "no-abbrev",
            "no-color",
            "no-column",
            "remotes",
            "show-current",
            "verbose",
            "omit-empty",
        ],
        options: LISTING,
        ..spec("branch", Nothing)
    },
    Spec {
        flags: "i",
        long: &["ignore-case", "no-column", "no-color", "omit-empty"],
        options: LISTING,
        ..spec("tag", Nothing)
    },
];

/// `git config`, asked for values.
pub(super) static CONFIG: Spec = Spec {
    stops_at_operand: true,
    flags: "lz",
    long: &[
        "bool",
        "bool-or-int",
        "get",
        "get-all",
        "get-regexp",
        "get-urlmatch",
        "global",
        "includes",
        "int",
        "list",
        "local",
        "name-only",
        "no-includes",
        "null",
        "path",
        "show-names",
        "show-origin",
        "show-scope",
        "system",
        "worktree",
        "all",
        "regexp",
    ],
    options: &[
        text(NONE, "type", "bool"),
        text(NONE, "default", "x"),
        text(NONE, "value", "x"),
    ],
    ..spec("config", Text)
};
