//! Programs that display, search and transform text.

use super::spec::Operands::{Files, Nothing, Pattern, Text};
use super::spec::{ReadOnlySpec, judged, read_only};
use super::special;

pub(super) static TABLE: &[ReadOnlySpec] = &[
    read_only(": echo expr false numfmt seq tr true", Text, "", ""),
    read_only(
        "ack",
        Pattern,
        "ABCgmt",
        "--pager --output --ackrc --create-ackrc --env",
    ),
    read_only("ag", Pattern, "ABCGgm", "--pager"),
    judged("awk gawk mawk", special::awk),
    read_only("b2sum", Files, "l", ""),
    read_only("base32", Files, "w", "-o"),
    read_only("base64", Files, "w", "-o --output"),
    read_only("basenc fold", Files, "w", ""),
    read_only(
        "bat batcat",
        Files,
        "HlmrP",
        "-P --pager --config-file --generate-config-file --diff",
    ),
    read_only(
        "bzcat cat comm md5sum rev sha1sum sha224sum sha256sum sha384sum sha512sum sum tsort wc \
         xzcat zcat zstdcat",
        Files,
        "",
        "",
    ),
    read_only("cksum shasum", Files, "a", ""),
    read_only("cmp", Files, "in", ""),
    read_only("column", Files, "cstoNEHJOPRTW", ""),
    read_only("cut", Files, "bcdf", ""),
    read_only("diff", Files, "UCWFxXI", "-l --paginate"),
    read_only("diff3", Files, "L", "--diff-program"),
    read_only("egrep fgrep zgrep", Pattern, "ABCDdefm", ""),
    read_only("expand look unexpand", Files, "t", ""),
    read_only("fmt", Files, "wgp", ""),
    judged("grep", special::grep),
    read_only("head", Files, "nc", ""),
    read_only("hexdump", Files, "efns", ""),
    read_only("iconv", Files, "ft", "-o --output"),
    read_only("join", Files, "aeotv12", ""),
    judged("jq", special::jq),
    read_only(
        "less",
        Files,
        "bhjkptxyz",
        "-o -O -k -t -T --log-file --LOG-FILE --lesskey-file --lesskey-src --lesskey-content --tag \
         --tag-file --cmd",
    ),
    read_only("more", Files, "n", ""),
    read_only("nl", Files, "bdfhilnsvw", ""),
    read_only("od", Files, "AjNtSw", ""),
    read_only("paste", Files, "d", ""),
    judged("printf", special::printf),
    read_only(
        "rg",
        Pattern,
        "ABCEMTegmdftjr",
        "--pre --hostname-bin -z --search-zip",
    ),
    read_only("sdiff", Files, "IW", "-o --output --diff-program"),
    judged("sed", special::sed),
    read_only(
        "sort",
        Files,
        "kotST",
        "-o --output --compress-program -T --temporary-directory",
    ),
    read_only("strings", Files, "nteTs", ""),
    read_only("tac", Files, "s", ""),
    read_only("tail", Files, "ncs", ""),
    read_only("tee", Nothing, "", "--output-error"),
    judged("uniq", special::uniq),
    read_only(
        "xmllint",
        Files,
        "",
        "--output -o --shell --xinclude --catalogs --path --dtdvalid --load-trace",
    ),
    judged("xxd", special::xxd),
    read_only(
        "yq",
        Files,
        "Iopvsf",
        "-i --inplace --in-place -s --split-exp --split-exp-file -f --from-file",
    ),
];
