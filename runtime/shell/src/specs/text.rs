//! Programs that display, compare and transform text.

use super::table::{NONE, OperandSpec, Spec, harmless, optional, reads, runs, spec, text, writes};
use OperandSpec::{Files, OneFile, Text};

/// Sorted by name.
pub(crate) static TABLE: &[Spec] = &[
    harmless("base32", Files)
        .flags("di", "decode help ignore-garbage version")
        .options(&[text('w', "wrap", "60")]),
    harmless("base64", Files)
        .flags("di", "decode help ignore-garbage version")
        .options(&[text('w', "wrap", "60")]),
    harmless("cat", Files).flags(
        "AETbenstuv",
        "help number number-nonblank show-all show-ends show-nonprinting show-tabs squeeze-blank \
         version",
    ),
    harmless("cmp", Files)
        .flags("bls", "help print-bytes quiet silent verbose version")
        .options(&[text('i', "ignore-initial", "2"), text('n', "bytes", "2")]),
    harmless("column", Files)
        .flags(
            "JLdeteVhx",
            "fillrows help json keep-empty-lines table table-header-repeat table-noheadings \
             version",
        )
        .options(&[
            text('n', "table-name", "t"),
            text('O', "table-order", "1"),
            text('N', "table-columns", "a,b"),
            text('l', "table-columns-limit", "2"),
            text('E', "table-noextreme", "1"),
            text('H', "table-hide", "1"),
            text('R', "table-right", "1"),
            text('T', "table-truncate", "1"),
            text('W', "table-wrap", "1"),
            text('r', "tree", "1"),
            text('i', "tree-id", "1"),
            text('p', "tree-parent", "1"),
            text('c', "output-width", "80"),
            text('o', "output-separator", " "),
            text('s', "separator", ","),
        ]),
    harmless("comm", Files)
        .flags(
            "123z",
            "check-order help nocheck-order total version zero-terminated",
        )
        .options(&[text(NONE, "output-delimiter", ":")]),
    harmless("cut", Files)
        .flags(
            "nsz",
            "complement help only-delimited version zero-terminated",
        )
        .options(&[
            text('b', "bytes", "1-2"),
            text('c', "characters", "1-2"),
            text('d', "delimiter", ","),
            text('f', "fields", "1"),
            text(NONE, "output-delimiter", ":"),
        ]),
    // `-l` starts `pr`.
    spec("diff", Files)
        .flags(
            "BENTZabcdeinpqrstuvwy",
            "brief ed expand-tabs help ignore-all-space ignore-blank-lines ignore-case \
             ignore-file-name-case ignore-space-change ignore-tab-expansion ignore-trailing-space \
             initial-tab left-column minimal new-file no-dereference no-ignore-file-name-case \
             normal rcs recursive report-identical-files show-c-function side-by-side \
             speed-large-files strip-trailing-cr suppress-blank-empty suppress-common-lines text \
             unidirectional-new-file version",
        )
        .options(&[
            text('C', "", "2"),
            text('U', "", "2"),
            optional(NONE, "context", "2"),
            optional(NONE, "unified", "2"),
            text('D', "ifdef", "NAME"),
            text('F', "show-function-line", "^fn"),
            text('I', "ignore-matching-lines", "^#"),
            text('L', "label", "name"),
            text('W', "width", "100"),
            text('x', "exclude", "*.o"),
            text('S', "starting-file", "a"),
            text(NONE, "tabsize", "4"),
            text(NONE, "horizon-lines", "2"),
            text(NONE, "palette", "ad=1"),
            text(NONE, "line-format", "%L"),
            text(NONE, "old-line-format", "%L"),
            text(NONE, "new-line-format", "%L"),
            text(NONE, "unchanged-line-format", "%L"),
            text(NONE, "old-group-format", "%<"),
            text(NONE, "new-group-format", "%>"),
            text(NONE, "changed-group-format", "%<"),
            text(NONE, "unchanged-group-format", "%="),
            reads('X', "exclude-from"),
            reads(NONE, "from-file"),
            reads(NONE, "to-file"),
            optional(NONE, "color", "never"),
            runs('l', "paginate"),
        ])
        .takes_number(),
    harmless("expand", Files)
        .flags("i", "help initial version")
        .options(&[text('t', "tabs", "4")])
        .takes_number(),
    harmless("factor", Text).flags("", "help version"),
    harmless("fmt", Files)
        .flags(
            "cstu",
            "crown-margin help split-only tagged-paragraph uniform-spacing version",
        )
        .options(&[
            text('g', "goal", "60"),
            text('p', "prefix", "#"),
            text('w', "width", "60"),
        ])
        .takes_number(),
    harmless("fold", Files)
        .flags("bs", "bytes help spaces version")
        .options(&[text('w', "width", "60")])
        .takes_number(),
    harmless("head", Files)
        .flags("qvz", "help quiet silent verbose version zero-terminated")
        .options(&[text('c', "bytes", "5"), text('n', "lines", "5")])
        .takes_number(),
    // `-f` reads formats, and displays them in error messages.
    harmless("hexdump", Files)
        .flags(
            "CVbcdhovx",
            "canonical help no-squeezing one-byte-char one-byte-octal two-bytes-decimal \
             two-bytes-hex two-bytes-octal version",
        )
        .options(&[
            text('e', "format", "16/1 \"%02x\" \"\\n\""),
            text('n', "length", "16"),
            text('s', "skip", "2"),
            optional('L', "color", "never"),
            reads('f', "format-file"),
        ]),
    harmless("join", Files)
        .flags(
            "iz",
            "check-order header help ignore-case nocheck-order version zero-terminated",
        )
        .options(&[
            text('a', "", "1"),
            text('e', "", "x"),
            text('j', "", "1"),
            text('o', "", "auto"),
            text('t', "", ","),
            text('v', "", "1"),
            text('1', "", "1"),
            text('2', "", "1"),
        ]),
    harmless("nl", Files)
        .flags("p", "help no-renumber version")
        .options(&[
            text('b', "body-numbering", "a"),
            text('d', "section-delimiter", "::"),
            text('f', "footer-numbering", "a"),
            text('h', "header-numbering", "a"),
            text('i', "line-increment", "2"),
            text('l', "join-blank-lines", "2"),
            text('n', "number-format", "ln"),
            text('s', "number-separator", ":"),
            text('v', "starting-line-number", "2"),
            text('w', "number-width", "3"),
        ]),
    harmless("numfmt", Text)
        .flags("z", "debug grouping help version zero-terminated")
        .options(&[
            text('d', "delimiter", ","),
            text(NONE, "field", "1"),
            text(NONE, "format", "%f"),
            text(NONE, "from", "iec"),
            text(NONE, "from-unit", "2"),
            text(NONE, "invalid", "warn"),
            text(NONE, "padding", "8"),
            text(NONE, "round", "up"),
            text(NONE, "suffix", "B"),
            text(NONE, "to", "iec"),
            text(NONE, "to-unit", "2"),
            optional(NONE, "header", "1"),
        ]),
    harmless("od", Files)
        .flags("abcdfhilosvx", "help output-duplicates traditional version")
        .options(&[
            text('A', "address-radix", "x"),
            text('N', "read-bytes", "16"),
            text('S', "strings", "3"),
            text('j', "skip-bytes", "2"),
            text('t', "format", "x1"),
            text(NONE, "endian", "big"),
            optional('w', "width", "16"),
        ]),
    harmless("paste", Files)
        .flags("sz", "help serial version zero-terminated")
        .options(&[text('d', "delimiters", ",")]),
    harmless("rev", Files).flags("Vh", "help version"),
    harmless("seq", Text)
        .flags("w", "equal-width help version")
        .options(&[text('f', "format", "%g"), text('s', "separator", ",")])
        .stops_at_operand()
        .takes_number(),
    // `--random-source` and `--files0-from` display the content of a file.
    spec("shuf", Files)
        .flags("rz", "help repeat version zero-terminated")
        .options(&[
            text('i', "input-range", "1-5"),
            text('n', "head-count", "1"),
            writes('o', "output"),
        ]),
    spec("sort", Files)
        .flags(
            "CMRVbcdfghimnrsuz",
            "debug dictionary-order general-numeric-sort help human-numeric-sort ignore-case \
             ignore-leading-blanks ignore-nonprinting merge month-sort numeric-sort random-sort \
             reverse stable unique version version-sort zero-terminated",
        )
        .options(&[
            text('S', "buffer-size", "1M"),
            text('k', "key", "2,2n"),
            text('t', "field-separator", ","),
            text(NONE, "batch-size", "4"),
            text(NONE, "parallel", "1"),
            text(NONE, "sort", "numeric"),
            optional(NONE, "check", "quiet"),
            writes('o', "output"),
            runs(NONE, "compress-program"),
        ]),
    spec("strings", Files)
        .flags(
            "Vadfhow",
            "all data help include-all-whitespace print-file-name version",
        )
        .options(&[
            text('n', "bytes", "3"),
            text('t', "radix", "x"),
            text('e', "encoding", "s"),
            text('s', "output-separator", ":"),
        ])
        .takes_number(),
    harmless("tac", Files)
        .flags("br", "before help regex version")
        .options(&[text('s', "separator", ",")]),
    harmless("tail", Files)
        .flags(
            "Ffqvz",
            "help quiet retry silent verbose version zero-terminated",
        )
        .options(&[
            text('c', "bytes", "5"),
            text('n', "lines", "5"),
            text('s', "sleep-interval", "1"),
            text(NONE, "max-unchanged-stats", "3"),
            text(NONE, "pid", "1"),
            optional(NONE, "follow", "name"),
        ])
        .takes_number(),
    harmless("tr", Text)
        .flags(
            "Ccdst",
            "complement delete help squeeze-repeats truncate-set1 version",
        )
        .stops_at_operand(),
    harmless("tsort", Files).flags("", "help version"),
    harmless("unexpand", Files)
        .flags("a", "all first-only help version")
        .options(&[text('t', "tabs", "4")])
        .takes_number(),
    spec("uniq", OneFile)
        .flags(
            "Dcdiuz",
            "count help ignore-case repeated unique version zero-terminated",
        )
        .options(&[
            text('f', "skip-fields", "1"),
            text('s', "skip-chars", "1"),
            text('w', "check-chars", "1"),
            optional(NONE, "all-repeated", "none"),
            optional(NONE, "group", "append"),
        ])
        .takes_number(),
    harmless("wc", Files).flags(
        "Lclmw",
        "bytes chars help lines max-line-length version words",
    ),
];
