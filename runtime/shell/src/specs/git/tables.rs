//! The read-only sub-commands of git, with the options that are known to only affect the output.
//!
//! The entries depend on the configuration of the repository: `git status` may start a file system monitor and clean
//! filters, `git diff` a driver, and `git log` a signature verifier, all of which are programs that the configuration
//! names. The configuration of the user's own repository comes from the user, and the sandbox does not permit commands
//! to write to it. This does not apply to a repository that an option (`-C`, `--git-dir`) selects, so these options are
//! not listed.

use super::super::table::{
    NONE, OperandSpec, OptSpec, Spec, connects, optional, pattern, pattern_file, reads, spec, text,
};
use super::log::log;
use OperandSpec::{Files, Names, Nothing, Pattern, Text};

const BLAME: &[OptSpec] = &[
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
];

/// Sorted by name.
pub(super) static TABLE: &[Spec] = &[
    spec("annotate", Files)
        .flags(
            "bceflnpstw",
            "line-porcelain porcelain progress root show-email show-name show-number show-stats \
             first-parent minimal",
        )
        .options(BLAME),
    spec("blame", Files)
        .flags(
            "bceflnpstw",
            "line-porcelain porcelain progress no-progress root show-email show-name show-number \
             show-stats first-parent minimal color-lines color-by-age",
        )
        .options(BLAME),
    spec("cat-file", Files)
        .flags(
            "epst",
            "allow-unknown-type batch-all-objects buffer follow-symlinks unordered",
        )
        .options(&[
            optional(NONE, "batch", "%(objectname)"),
            optional(NONE, "batch-check", "%(objectname)"),
        ]),
    spec("check-attr", Text).flags("az", "all cached stdin"),
    spec("check-ignore", Text).flags("nqvz", "no-index non-matching quiet stdin verbose"),
    spec("check-mailmap", Text).flags("", "stdin"),
    spec("check-ref-format", Text).flags("", "allow-onelevel no-allow-onelevel normalize"),
    spec("cherry", Text)
        .flags("v", "verbose")
        .options(&[optional(NONE, "abbrev", "8")]),
    spec("count-objects", Text).flags("Hv", "human-readable verbose"),
    spec("describe", Text)
        .flags(
            "",
            "all always contains debug exact-match first-parent long tags",
        )
        .options(&[
            optional(NONE, "abbrev", "8"),
            optional(NONE, "dirty", "-dirty"),
            text(NONE, "candidates", "5"),
            text(NONE, "exclude", "v0*"),
            text(NONE, "match", "v*"),
        ]),
    log("diff"),
    log("diff-files"),
    log("diff-index"),
    log("diff-tree"),
    spec("for-each-ref", Text)
        .flags("", "ignore-case omit-empty")
        .options(&[
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
        ]),
    // `-O` opens the matching files in a pager.
    spec("grep", Pattern)
        .flags(
            "EFGHILPachilnopqrvwWz",
            "all-match basic-regexp break cached column count exclude-standard extended-regexp \
             files-with-matches files-without-match fixed-strings full-name function-context \
             heading ignore-case invert-match line-number name-only no-color no-exclude-standard \
             no-index no-recursive no-textconv null only-matching perl-regexp quiet \
             recurse-submodules recursive show-function text untracked word-regexp and or not",
        )
        .options(&[
            text('A', "after-context", "1"),
            text('B', "before-context", "1"),
            text('C', "context", "1"),
            text('m', "max-count", "1"),
            text(NONE, "max-depth", "1"),
            text(NONE, "threads", "1"),
            optional(NONE, "color", "never"),
            pattern('e', "", "x"),
            pattern_file('f', ""),
        ])
        .takes_number(),
    log("log"),
    spec("ls-files", Text)
        .flags(
            "cdfikmostuvz",
            "cached deduplicate deleted directory empty-directory eol error-unmatch \
             exclude-standard full-name ignored killed modified no-empty-directory others \
             recurse-submodules resolve-undo sparse stage unmerged",
        )
        .options(&[
            text('x', "exclude", "*.o"),
            reads('X', "exclude-from"),
            text(NONE, "exclude-per-directory", ".gitignore"),
            text(NONE, "format", "%(path)"),
            optional(NONE, "abbrev", "8"),
        ]),
    spec("ls-remote", Text)
        .flags("q", "branches exit-code get-url quiet refs symref")
        .options(&[
            text(NONE, "sort", "refname"),
            connects('h', "heads"),
            connects('t', "tags"),
        ]),
    spec("ls-tree", Text)
        .flags(
            "dlrtz",
            "full-name full-tree long name-only name-status object-only",
        )
        .options(&[
            text(NONE, "format", "%(path)"),
            optional(NONE, "abbrev", "8"),
        ]),
    spec("merge-base", Text).flags("a", "all fork-point independent is-ancestor octopus"),
    spec("name-rev", Text)
        .flags(
            "",
            "all always annotate-stdin name-only no-undefined tags undefined",
        )
        .options(&[
            text(NONE, "refs", "heads/*"),
            text(NONE, "exclude", "heads/x"),
        ]),
    log("range-diff"),
    log("rev-list"),
    spec("rev-parse", Text)
        .flags(
            "q",
            "absolute-git-dir all flags git-common-dir git-dir is-bare-repository \
             is-inside-git-dir is-inside-work-tree is-shallow-repository local-env-vars no-flags \
             no-revs not quiet revs-only shared-index-path show-cdup show-prefix \
             show-superproject-working-tree show-toplevel sq symbolic symbolic-full-name verify",
        )
        .options(&[
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
        ]),
    spec("shortlog", Files)
        .flags(
            "cens",
            "all committer email merges no-merges numbered summary",
        )
        .options(&[
            text(NONE, "after", "2020-01-01"),
            text(NONE, "author", "x"),
            text(NONE, "before", "2030-01-01"),
            text(NONE, "date", "iso"),
            text(NONE, "group", "author"),
            text(NONE, "since", "2020-01-01"),
            text(NONE, "until", "2030-01-01"),
            optional('w', "", "76"),
        ]),
    log("show"),
    spec("show-branch", Text)
        .flags(
            "ar",
            "all current date-order independent list merge-base no-color no-name remotes sha1-name \
             sparse topics topo-order",
        )
        .options(&[
            optional(NONE, "color", "never"),
            optional(NONE, "more", "2"),
            optional('g', "reflog", "2"),
        ]),
    spec("show-ref", Text)
        .flags("dq", "dereference head heads quiet tags verify")
        .options(&[optional('s', "hash", "8"), optional(NONE, "abbrev", "8")]),
    spec("status", Text)
        .flags(
            "bsvz",
            "ahead-behind branch long no-ahead-behind no-column no-renames null renames short \
             show-stash verbose",
        )
        .options(&[
            optional('u', "untracked-files", "no"),
            optional(NONE, "column", "never"),
            optional(NONE, "find-renames", "50%"),
            optional(NONE, "ignore-submodules", "all"),
            optional(NONE, "ignored", "no"),
            optional(NONE, "porcelain", "v2"),
        ]),
    spec("var", Text).flags("l", ""),
    spec("verify-pack", Names).flags("sv", "stat-only verbose"),
    spec("version", Nothing).flags("", "build-options"),
    log("whatchanged"),
];
