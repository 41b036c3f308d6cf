//! Programs that search files and folders, except `find`.

use super::table::{
    NONE, OperandSpec, OptSpec, Spec, flag_without_pattern, harmless, optional, pattern,
    pattern_file, reads, runs, spec, text,
};
use OperandSpec::Pattern;

const GREP: &[OptSpec] = &[
    pattern('e', "regexp", "x"),
    pattern_file('f', "file"),
    text('m', "max-count", "3"),
    text('A', "after-context", "3"),
    text('B', "before-context", "3"),
    text('C', "context", "3"),
    text('D', "devices", "skip"),
    text('d', "directories", "skip"),
    text(NONE, "binary-files", "text"),
    text(NONE, "exclude", "*.o"),
    text(NONE, "exclude-dir", "target"),
    text(NONE, "group-separator", "--"),
    text(NONE, "include", "*.rs"),
    text(NONE, "label", "name"),
    reads(NONE, "exclude-from"),
    optional(NONE, "color", "auto"),
    optional(NONE, "colour", "never"),
];

/// Creates the spec of a grep. `-f` only reveals of a file that one of its lines occurs elsewhere.
const fn grep(name: &'static str) -> Spec {
    harmless(name, Pattern)
        .flags(
            "EFGHILPRTUVZabchilnoqrsvwxyz",
            "basic-regexp binary byte-offset count dereference-recursive extended-regexp \
             files-with-matches files-without-match fixed-strings help ignore-case initial-tab \
             invert-match line-buffered line-number line-regexp no-filename no-group-separator \
             no-ignore-case no-messages null null-data only-matching perl-regexp quiet recursive \
             silent text version with-filename word-regexp",
        )
        .options(GREP)
        .takes_number()
}

/// Sorted by name.
pub(crate) static GREPS: &[Spec] = &[grep("egrep"), grep("fgrep"), grep("grep")];

const fn fd(name: &'static str) -> Spec {
    spec(name, Pattern)
        .flags("01FHILVagilpqsu", FD_LONG)
        .options(FD)
}

const FD_LONG: &str = "absolute-path case-sensitive fixed-strings follow full-path glob help \
                       hidden ignore-case no-hidden no-ignore no-ignore-parent no-ignore-vcs \
                       one-file-system print0 prune quiet regex show-errors strip-cwd-prefix \
                       unrestricted version";

/// The options of `fd`. `-l` starts `ls`.
const FD: &[OptSpec] = &[
    text('E', "exclude", "target"),
    text('S', "size", "+1k"),
    text('c', "color", "never"),
    text('d', "max-depth", "2"),
    text('e', "extension", "rs"),
    text('j', "threads", "1"),
    text('o', "owner", "root"),
    text('t', "type", "f"),
    text(NONE, "and", "x"),
    text(NONE, "changed-before", "1day"),
    text(NONE, "changed-within", "1day"),
    text(NONE, "exact-depth", "1"),
    text(NONE, "max-results", "3"),
    text(NONE, "min-depth", "1"),
    text(NONE, "path-separator", "/"),
    reads(NONE, "base-directory"),
    reads(NONE, "ignore-file"),
    reads(NONE, "search-path"),
    runs('x', "exec"),
    runs('X', "exec-batch"),
    runs('l', "list-details"),
];

/// Sorted by name.
pub(crate) static TABLE: &[Spec] = &[
    fd("fd"),
    fd("fdfind"),
    // `--pre` and `-z` start programs. The file that `RIPGREP_CONFIG_PATH` names belongs to the user.
    spec("rg", Pattern)
        .flags(
            ".0FHILNPSUVabchilnopqsuvwx",
            "auto-hybrid-regex binary block-buffered byte-offset case-sensitive column count \
             count-matches crlf debug files-with-matches files-without-match fixed-strings follow \
             glob-case-insensitive heading help hidden ignore-case ignore-file-case-insensitive \
             include-zero invert-match json line-buffered line-number line-regexp \
             max-columns-preview mmap multiline multiline-dotall no-binary no-block-buffered \
             no-column no-config no-context-separator no-crlf no-filename no-fixed-strings \
             no-follow no-heading no-hidden no-ignore no-ignore-dot no-ignore-exclude \
             no-ignore-files no-ignore-global no-ignore-messages no-ignore-parent no-ignore-vcs \
             no-json no-line-buffered no-line-number no-messages no-mmap no-multiline no-pcre2 \
             no-require-git no-search-zip no-stats no-text no-trim no-unicode null null-data \
             one-file-system only-matching passthru pcre2 pretty quiet smart-case stats text trim \
             unrestricted version vimgrep with-filename word-regexp",
        )
        .options(&[
            text('A', "after-context", "1"),
            text('B', "before-context", "1"),
            text('C', "context", "1"),
            text('E', "encoding", "utf-8"),
            text('M', "max-columns", "80"),
            text('T', "type-not", "rust"),
            text('g', "glob", "*.rs"),
            text('j', "threads", "1"),
            text('m', "max-count", "1"),
            text('r', "replace", "y"),
            text('t', "type", "rust"),
            text('d', "max-depth", "2"),
            text(NONE, "color", "never"),
            text(NONE, "colors", "path:none"),
            text(NONE, "context-separator", ".."),
            text(NONE, "engine", "default"),
            text(NONE, "field-context-separator", "-"),
            text(NONE, "field-match-separator", ":"),
            text(NONE, "iglob", "*.RS"),
            text(NONE, "max-filesize", "1M"),
            text(NONE, "path-separator", "/"),
            text(NONE, "sort", "path"),
            text(NONE, "sortr", "path"),
            text(NONE, "type-add", "x:*.x"),
            text(NONE, "type-clear", "rust"),
            pattern('e', "regexp", "x"),
            pattern_file('f', "file"),
            reads(NONE, "ignore-file"),
            flag_without_pattern(NONE, "files"),
            flag_without_pattern(NONE, "type-list"),
            runs(NONE, "pre"),
            runs(NONE, "hostname-bin"),
        ]),
];
