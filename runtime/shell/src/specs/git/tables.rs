//! The reading sub-commands of git, with the options that are known to change nothing but what is shown.
//!
//! What is named here rests on the configuration of the repository: `git status` may start a file system monitor and
//! clean filters, `git diff` a driver, `git log` a verifier of signatures, all of them programs that the configuration
//! names. The user's own repository has the configuration that the user gave it, and the sandbox lets no command write
//! there. That is not true of a repository that an option (`-C`, `--git-dir`) chooses, so these options are not named.

use super::super::table::{
    NONE, OperandSpec, Spec, connects, optional, pattern, pattern_file, reads, spec, text,
};
use super::log::log;
use OperandSpec::{Files, Names, Nothing, Pattern, Text};

const fn flags(name: &'static str, short: &'static str, long: &'static [&'static str]) -> Spec {
    Spec {
        flags: short,
        long,
        ..spec(name, Text)
    }
}

/// Sorted by name.
pub(super) static TABLE: &[Spec] = &[
    Spec {
        flags: "bceflnpstw",
        long: &[
            "line-porcelain",
            "porcelain",
            "progress",
            "root",
            "show-email",
            "show-name",
            "show-number",
            "show-stats",
            "first-parent",
            "minimal",
        ],
        options: &[
            text('L', "", "1,2"),
            reads('S', ""),
            optional('C', "", "40"),
            optional('M', "", "40"),
            text(NONE, "date", "iso"),
            text(NONE, "since", "2020-01-01"),
            text(NONE, "ignore-rev", "HEAD"),
            reads(NONE, "contents"),
            reads(NONE, "ignore-revs-file"),
            optional(NONE, "abbrev", "8"),
        ],
        ..spec("annotate", Files)
    },
    Spec {
        flags: "bceflnpstw",
        long: &[
            "line-porcelain",
            "porcelain",
            "progress",
            "no-progress",
            "root",
            "show-email",
            "show-name",
            "show-number",
            "show-stats",
            "first-parent",
            "minimal",
            "color-lines",
            "color-by-age",
        ],
        options: &[
            text('L', "", "1,2"),
            reads('S', ""),
            optional('C', "", "40"),
            optional('M', "", "40"),
            text(NONE, "date", "iso"),
            text(NONE, "since", "2020-01-01"),
            text(NONE, "ignore-rev", "HEAD"),
            reads(NONE, "contents"),
            reads(NONE, "ignore-revs-file"),
            optional(NONE, "abbrev", "8"),
        ],
        ..spec("blame", Files)
    },
    Spec {
        flags: "epst",
        long: &[
            "allow-unknown-type",
            "batch-all-objects",
            "buffer",
            "follow-symlinks",
            "unordered",
        ],
        options: &[
            optional(NONE, "batch", "%(objectname)"),
            optional(NONE, "batch-check", "%(objectname)"),
        ],
        ..spec("cat-file", Files)
    },
    flags("check-attr", "az", &["all", "cached", "stdin"]),
    flags(
        "check-ignore",
        "nqvz",
        &["no-index", "non-matching", "quiet", "stdin", "verbose"],
    ),
    flags("check-mailmap", "", &["stdin"]),
    flags(
        "check-ref-format",
        "",
        &["allow-onelevel", "no-allow-onelevel", "normalize"],
    ),
    Spec {
        options: &[optional(NONE, "abbrev", "8")],
        ..flags("cherry", "v", &["verbose"])
    },
    flags("count-objects", "Hv", &["human-readable", "verbose"]),
    Spec {
        options: &[
            optional(NONE, "abbrev", "8"),
            optional(NONE, "dirty", "-dirty"),
            text(NONE, "candidates", "5"),
            text(NONE, "exclude", "v0*"),
            text(NONE, "match", "v*"),
        ],
        ..flags(
            "describe",
            "",
            &[
                "all",
                "always",
                "contains",
                "debug",
                "exact-match",
                "first-parent",
                "long",
                "tags",
            ],
        )
    },
    log("diff"),
    log("diff-files"),
    log("diff-index"),
    log("diff-tree"),
    Spec {
        options: &[
            text(NONE, "contains", "HEAD"),
            text(NONE, "count", "2"),
            text(NONE, "exclude", "heads/x"),
            text(NONE, "format", "%(refname)"),
            text(NONE, "merged", "HEAD"),
            text(NONE, "no-contains", "HEAD~1"),
            text(NONE, "no-merged", "HEAD"),
            text(NONE, "points-at", "HEAD"),
            text(NONE, "sort", "refname"),
            optional(NONE, "color", "never"),
        ],
        ..flags("for-each-ref", "", &["ignore-case", "omit-empty"])
    },
    // `-O` opens what it finds in a pager.
    Spec {
        flags: "EFGHILPachilnopqrvwWz",
        long: &[
            "all-match",
            "basic-regexp",
            "break",
            "cached",
            "column",
            "count",
            "exclude-standard",
            "extended-regexp",
            "files-with-matches",
            "files-without-match",
            "fixed-strings",
            "full-name",
            "function-context",
            "heading",
            "ignore-case",
            "invert-match",
            "line-number",
            "name-only",
            "no-color",
            "no-exclude-standard",
            "no-index",
            "no-recursive",
            "no-textconv",
            "null",
            "only-matching",
            "perl-regexp",
            "quiet",
            "recurse-submodules",
            "recursive",
            "show-function",
            "text",
            "untracked",
            "word-regexp",
            "and",
            "or",
            "not",
        ],
        options: &[
            text('A', "after-context", "1"),
            text('B', "before-context", "1"),
            text('C', "context", "1"),
            text('m', "max-count", "1"),
            text(NONE, "max-depth", "1"),
            text(NONE, "threads", "1"),
            optional(NONE, "color", "never"),
            pattern('e', "", "x"),
            pattern_file('f', ""),
        ],
        takes_number: true,
        ..spec("grep", Pattern)
    },
    log("log"),
    Spec {
        options: &[
            text('x', "exclude", "*.o"),
            reads('X', "exclude-from"),
            text(NONE, "exclude-per-directory", ".gitignore"),
            text(NONE, "format", "%(path)"),
            optional(NONE, "abbrev", "8"),
        ],
        ..flags(
            "ls-files",
            "cdfikmostuvz",
            &[
                "cached",
                "deduplicate",
                "deleted",
                "directory",
                "empty-directory",
                "eol",
                "error-unmatch",
                "exclude-standard",
                "full-name",
                "ignored",
                "killed",
                "modified",
                "no-empty-directory",
                "others",
                "recurse-submodules",
                "resolve-undo",
                "sparse",
                "stage",
                "unmerged",
            ],
        )
    },
    Spec {
        options: &[
            text(NONE, "sort", "refname"),
            connects('h', "heads"),
            connects('t', "tags"),
        ],
        ..flags(
            "ls-remote",
            "q",
            &[
                "branches",
                "exit-code",
                "get-url",
                "quiet",
                "refs",
                "symref",
            ],
        )
    },
    Spec {
        options: &[
            text(NONE, "format", "%(path)"),
            optional(NONE, "abbrev", "8"),
        ],
        ..flags(
            "ls-tree",
            "dlrtz",
            &[
                "full-name",
                "full-tree",
                "long",
                "name-only",
                "name-status",
                "object-only",
            ],
        )
    },
    flags(
        "merge-base",
        "a",
        &["all", "fork-point", "independent", "is-ancestor", "octopus"],
    ),
    Spec {
        options: &[
            text(NONE, "refs", "heads/*"),
            text(NONE, "exclude", "heads/x"),
        ],
        ..flags(
            "name-rev",
            "",
            &[
                "all",
                "always",
                "annotate-stdin",
                "name-only",
                "no-undefined",
                "tags",
                "undefined",
            ],
        )
    },
    log("range-diff"),
    log("rev-list"),
    Spec {
        options: &[
            text(NONE, "default", "HEAD"),
            text(NONE, "git-path", "hooks"),
            text(NONE, "glob", "heads/*"),
            text(NONE, "exclude", "heads/*"),
            optional(NONE, "path-format", "absolute"),
            text(NONE, "resolve-git-dir", ".git"),
            optional(NONE, "abbrev-ref", "strict"),
            optional(NONE, "branches", "main"),
            optional(NONE, "disambiguate", "abcd"),
            optional(NONE, "remotes", "origin"),
            optional(NONE, "short", "8"),
            optional(NONE, "show-object-format", "storage"),
            optional(NONE, "tags", "v*"),
        ],
        ..flags(
            "rev-parse",
            "q",
            &[
                "absolute-git-dir",
                "all",
                "flags",
                "git-common-dir",
                "git-dir",
                "is-bare-repository",
                "is-inside-git-dir",
                "is-inside-work-tree",
                "is-shallow-repository",
                "local-env-vars",
                "no-flags",
                "no-revs",
                "not",
                "quiet",
                "revs-only",
                "shared-index-path",
                "show-cdup",
                "show-prefix",
                "show-superproject-working-tree",
                "show-toplevel",
                "sq",
                "symbolic",
                "symbolic-full-name",
                "verify",
            ],
        )
    },
    Spec {
        flags: "cens",
        long: &[
            "all",
            "committer",
            "email",
            "merges",
            "no-merges",
            "numbered",
            "summary",
        ],
        options: &[
            text(NONE, "after", "2020-01-01"),
            text(NONE, "author", "x"),
            text(NONE, "before", "2030-01-01"),
            text(NONE, "date", "iso"),
            text(NONE, "group", "author"),
            text(NONE, "since", "2020-01-01"),
            text(NONE, "until", "2030-01-01"),
            optional('w', "", "76"),
        ],
        ..spec("shortlog", Files)
    },
    log("show"),
    Spec {
        options: &[
            optional(NONE, "color", "never"),
            optional(NONE, "more", "2"),
            optional('g', "reflog", "2"),
        ],
        ..flags(
            "show-branch",
            "ar",
            &[
                "all",
                "current",
                "date-order",
                "independent",
                "list",
                "merge-base",
                "no-color",
                "no-name",
                "remotes",
                "sha1-name",
                "sparse",
                "topics",
                "topo-order",
            ],
        )
    },
    Spec {
        options: &[optional('s', "hash", "8"), optional(NONE, "abbrev", "8")],
        ..flags(
            "show-ref",
            "dq",
            &["dereference", "head", "heads", "quiet", "tags", "verify"],
        )
    },
    Spec {
        options: &[
            optional('u', "untracked-files", "no"),
            optional(NONE, "column", "never"),
            optional(NONE, "find-renames", "50%"),
            optional(NONE, "ignore-submodules", "all"),
            optional(NONE, "ignored", "no"),
            optional(NONE, "porcelain", "v2"),
        ],
        ..flags(
            "status",
            "bsvz",
            &[
                "ahead-behind",
                "branch",
                "long",
                "no-ahead-behind",
                "no-column",
                "no-renames",
                "null",
                "renames",
                "short",
                "show-stash",
                "verbose",
            ],
        )
    },
    Spec {
        flags: "l",
        ..spec("var", Text)
    },
    Spec {
        flags: "sv",
        long: &["stat-only", "verbose"],
        ..spec("verify-pack", Names)
    },
    Spec {
        long: &["build-options"],
        ..spec("version", Nothing)
    },
    log("whatchanged"),
];
