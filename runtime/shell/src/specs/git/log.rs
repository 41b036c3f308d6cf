//! The options of `git log` and similar sub-commands.

use super::super::table::{NONE, OperandSpec, OptSpec, Spec, optional, reads, spec, text};
use OperandSpec::Files;

/// The options of all sub-commands that list commits or display differences. Not listed are `--output`, which writes,
/// and `--ext-diff`, `--textconv` and `--show-signature`, which start programs.
const LOG_FLAGS: &str = "DEFPRWabcgimpqrstuwz";
const LOG_LONG: &str = "abbrev-commit all all-match ancestry-path author-date-order basic-regexp \
                        binary bisect boundary cached cc check cherry cherry-mark cherry-pick \
                        children clear-decorations color-words combined-all-paths compact-summary \
                        count date-order default-prefix dense do-walk exit-code extended-regexp \
                        find-copies-harder first-parent fixed-strings follow full-diff \
                        full-history full-index function-context graph histogram ignore-all-space \
                        ignore-blank-lines ignore-cr-at-eol ignore-missing ignore-space-at-eol \
                        ignore-space-change indent-heuristic invert-grep left-only left-right \
                        merge merge-base merges minimal name-only name-status no-abbrev \
                        no-abbrev-commit no-color no-color-moved no-commit-id no-decorate \
                        no-diff-merges no-ext-diff no-indent-heuristic no-index no-max-parents \
                        no-merges no-min-parents no-mailmap no-notes no-patch no-prefix \
                        no-relative no-rename-empty no-renames no-textconv no-walk not numstat \
                        objects oneline parents patch patch-with-raw patch-with-stat patience \
                        perl-regexp pickaxe-all pickaxe-regex quiet raw reflog regexp-ignore-case \
                        relative-date remove-empty rename-empty reverse right-only root shortstat \
                        show-notes show-pulls simplify-by-decoration simplify-merges \
                        single-worktree source sparse staged stat summary text timestamp \
                        topo-order use-mailmap mailmap walk-reflogs";
const LOG_OPTIONS: &[OptSpec] = &[
    text('n', "max-count", "2"),
    text('S', "", "x"),
    text('G', "", "x"),
    optional('U', "unified", "1"),
    text('l', "", "10"),
    text(NONE, "after", "2020-01-01"),
    text(NONE, "before", "2030-01-01"),
    text(NONE, "since", "2020-01-01"),
    text(NONE, "until", "2030-01-01"),
    text(NONE, "since-as-filter", "2020-01-01"),
    text(NONE, "author", "x"),
    text(NONE, "committer", "x"),
    text(NONE, "grep", "x"),
    text(NONE, "grep-reflog", "x"),
    text(NONE, "skip", "1"),
    text(NONE, "date", "iso"),
    text(NONE, "encoding", "UTF-8"),
    text(NONE, "diff-algorithm", "patience"),
    text(NONE, "diff-filter", "M"),
    text(NONE, "diff-merges", "off"),
    text(NONE, "glob", "heads/*"),
    text(NONE, "exclude", "heads/*"),
    text(NONE, "decorate-refs", "heads/*"),
    text(NONE, "decorate-refs-exclude", "heads/*"),
    text(NONE, "inter-hunk-context", "1"),
    text(NONE, "anchored", "x"),
    text(NONE, "src-prefix", "a/"),
    text(NONE, "dst-prefix", "b/"),
    text(NONE, "line-prefix", "|"),
    text(NONE, "output-indicator-new", ">"),
    text(NONE, "output-indicator-old", "<"),
    text(NONE, "find-object", "HEAD"),
    optional(NONE, "format", "%h %s"),
    optional(NONE, "min-parents", "1"),
    optional(NONE, "max-parents", "1"),
    text(NONE, "word-diff-regex", "."),
    text(NONE, "ws-error-highlight", "none"),
    optional(NONE, "abbrev", "8"),
    optional(NONE, "branches", "main"),
    optional(NONE, "break-rewrites", "50%"),
    optional(NONE, "color", "never"),
    optional(NONE, "color-moved", "no"),
    optional(NONE, "decorate", "short"),
    optional(NONE, "dirstat", "files"),
    optional(NONE, "expand-tabs", "4"),
    optional(NONE, "find-copies", "50%"),
    optional(NONE, "find-renames", "50%"),
    optional(NONE, "ignore-submodules", "all"),
    optional(NONE, "notes", "commits"),
    optional(NONE, "pretty", "oneline"),
    optional(NONE, "relative", "src"),
    optional(NONE, "remotes", "origin"),
    optional(NONE, "stat", "80"),
    optional(NONE, "submodule", "short"),
    optional(NONE, "tags", "v*"),
    optional(NONE, "word-diff", "plain"),
    reads('O', ""),
    // `1,5:file`, which is checked with the revisions.
    text('L', "", "1,2:a"),
    optional('B', "", "50%"),
    optional('C', "", "50%"),
    optional('M', "", "50%"),
    optional('X', "", "lines"),
];

/// Creates the spec of a sub-command that lists commits or displays differences.
pub(super) const fn log(name: &'static str) -> Spec {
    spec(name, Files)
        .flags(LOG_FLAGS, LOG_LONG)
        .options(LOG_OPTIONS)
        .takes_number()
}
