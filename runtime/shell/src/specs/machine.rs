//! Programs that display services, sockets, packages, archives, and their own versions.

pub(super) mod special;

use super::judged::CommandJudgement;
use super::table::{OperandSpec, Spec, harmless, optional, spec, text};
use super::word::Word;
use OperandSpec::{Files, Nothing, Text};

/// Sorted by name.
pub(crate) static TABLE: &[Spec] = &[
    spec("dmesg", Nothing)
        .flags(
            "HLTkrtux",
            "decode human kernel nopager reltime ctime userspace",
        )
        .options(&[text('l', "level", "err"), text('f', "facility", "kern")]),
    spec("iconv", Files).flags("cls", "list silent").options(&[
        text('f', "from-code", "UTF-8"),
        text('t', "to-code", "UTF-8"),
    ]),
    spec("journalctl", Text)
        .flags(
            "aefklmqrx",
            "all catalog disk-usage dmesg follow full list-boots no-hostname no-pager pager-end \
             quiet reverse utc",
        )
        .options(&[
            text('S', "since", "today"),
            text('U', "until", "today"),
            text('g', "grep", "x"),
            text('o', "output", "short"),
            text('p', "priority", "err"),
            text('t', "identifier", "x"),
            text('u', "unit", "x"),
            optional('b', "boot", "0"),
            optional('n', "lines", "5"),
        ]),
    spec("mount", Nothing),
    spec("netstat", Nothing).flags(
        "46aelnoprstuwx",
        "all extend listening numeric program route statistics tcp timers udp unix wide",
    ),
    // `--plugin` loads a library, and `-l` may download debug information.
    spec("nm", Files)
        .flags(
            "ABCDPSVaghnoprsuv",
            "debug-syms defined-only demangle dynamic extern-only help no-demangle no-sort \
             numeric-sort portability print-armap print-file-name print-size reverse-sort \
             size-sort special-syms undefined-only version",
        )
        .options(&[text('f', "format", "bsd"), text('t', "radix", "x")]),
    // `-l`, `-S` and `-W` may download debug information.
    spec("objdump", Files)
        .flags(
            "CDRTadfhprstwx",
            "all-headers archive-headers demangle disassemble disassemble-all disassemble-zeroes \
             dynamic-reloc dynamic-syms file-headers full-contents no-show-raw-insn \
             private-headers reloc section-headers syms version wide",
        )
        .options(&[
            text('M', "disassembler-options", "att"),
            text('j', "section", ".text"),
        ]),
    harmless("pstree", Text).flags(
        "Aachlnpu",
        "arguments ascii compact-not long numeric-sort show-pids",
    ),
    spec("readelf", Files).flags(
        "IVWadehlnrs",
        "all dynamic file-header headers help notes program-headers relocs section-headers \
         sections segments symbols syms version wide",
    ),
    // A filter may contain host names, whose addresses are resolved over the network.
    spec("ss", Nothing).flags(
        "046HOSaeilmnopstuwx",
        "all extended info ipv4 ipv6 listening memory no-header numeric options processes summary \
         tcp udp unix",
    ),
    // A system script that starts `gzip`.
    spec("zcat", Files).flags("fqv", ""),
];

/// Judges calls whose effect depends on more than the options; returns `None` if the spec decides.
pub(crate) fn judge(program: &str, arguments: &[Word]) -> Option<CommandJudgement> {
    match program {
        "nm" | "objdump" => has_options_file(arguments).then(CommandJudgement::new_opaque),
        "netstat" => (!is_numeric(arguments)).then(CommandJudgement::new_acting),
        _ => None,
    }
}

/// Reports whether a word is, or may be, `@FILE`: a file with further options.
fn has_options_file(arguments: &[Word]) -> bool {
    arguments
        .iter()
        .any(|word| word.text.starts_with('@') || word.text.is_empty() && !word.is_exact)
}

/// Reports whether addresses are displayed as numbers; otherwise their names are resolved over the network.
fn is_numeric(arguments: &[Word]) -> bool {
    let mut known = arguments.iter().filter_map(Word::known);
    known.any(|text| {
        let letters = text.strip_prefix('-').filter(|text| !text.starts_with('-'));
        text == "--numeric" || letters.is_some_and(|letters| letters.contains('n'))
    })
}
