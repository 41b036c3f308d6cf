//! Programs that show services, sockets, packages and archives, and programs that say which they are.

use super::table::{NONE, Operands, Spec, harmless, optional, spec, text};
use super::{Judged, Word};
use Operands::{Files, Nothing, Text};

/// Sorted by name.
pub(crate) static TABLE: &[Spec] = &[
    Spec {
        flags: "HLTkrtux",
        long: &[
            "decode",
            "human",
            "kernel",
            "nopager",
            "reltime",
            "ctime",
            "userspace",
        ],
        options: &[text('l', "level", "err"), text('f', "facility", "kern")],
        ..spec("dmesg", Nothing)
    },
    Spec {
        flags: "cls",
        long: &["list", "silent"],
        options: &[
            text('f', "from-code", "UTF-8"),
            text('t', "to-code", "UTF-8"),
        ],
        ..spec("iconv", Files)
    },
    Spec {
        flags: "aefklmqrx",
        long: &[
            "all",
            "catalog",
            "disk-usage",
            "dmesg",
            "follow",
            "full",
            "list-boots",
            "no-hostname",
            "no-pager",
            "pager-end",
            "quiet",
            "reverse",
            "utc",
        ],
        options: &[
            text('S', "since", "today"),
            text('U', "until", "today"),
            text('g', "grep", "x"),
            text('o', "output", "short"),
            text('p', "priority", "err"),
            text('t', "identifier", "x"),
            text('u', "unit", "x"),
            optional('b', "boot", "0"),
            optional('n', "lines", "5"),
        ],
        ..spec("journalctl", Text)
    },
    Spec {
        flags: "l",
        ..spec("mount", Nothing)
    },
    Spec {
        flags: "46aelnoprstuwx",
        long: &[
            "all",
            "extend",
            "listening",
            "numeric",
            "program",
            "route",
            "statistics",
            "tcp",
            "timers",
            "udp",
            "unix",
            "wide",
        ],
        ..spec("netstat", Nothing)
    },
    // `--plugin` loads a library, and `-l` may fetch what a debugger needs.
    Spec {
        flags: "ABCDPSVaghnoprsuv",
        long: &[
            "debug-syms",
            "defined-only",
            "demangle",
            "dynamic",
            "extern-only",
            "help",
            "no-demangle",
            "no-sort",
            "numeric-sort",
            "portability",
            "print-armap",
            "print-file-name",
            "print-size",
            "reverse-sort",
            "size-sort",
            "special-syms",
            "undefined-only",
            "version",
        ],
        options: &[text('f', "format", "bsd"), text('t', "radix", "x")],
        ..spec("nm", Files)
    },
    Spec {
        flags: "Aachlnpu",
        long: &[
            "arguments",
            "ascii",
            "compact-not",
            "long",
            "numeric-sort",
            "show-pids",
        ],
        ..harmless("pstree", Text)
    },
    Spec {
        flags: "IVWadehlnrs",
        long: &[
            "all",
            "dynamic",
            "file-header",
            "headers",
            "help",
            "notes",
            "program-headers",
            "relocs",
            "section-headers",
            "sections",
            "segments",
            "symbols",
            "syms",
            "version",
            "wide",
        ],
        ..spec("readelf", Files)
    },
    Spec {
        flags: "046HOSaeilmnopstuwx",
        long: &[
            "all",
            "extended",
            "info",
            "ipv4",
            "ipv6",
            "listening",
            "memory",
            "no-header",
            "numeric",
            "options",
            "processes",
            "summary",
            "tcp",
            "udp",
            "unix",
        ],
        // A filter may name hosts, whose addresses are asked for.
        ..spec("ss", Nothing)
    },
    // A script of the system that starts `gzip`.
    Spec {
        flags: "fqv",
        ..spec("zcat", Files)
    },
];

/// `systemctl`, with the sub-commands that only ask.
static SYSTEMCTL: Spec = Spec {
    flags: "alq",
    long: &[
        "all",
        "failed",
        "full",
        "no-legend",
        "no-pager",
        "plain",
        "quiet",
        "system",
        "user",
    ],
    options: &[
        text('n', "lines", "5"),
        text('o', "output", "short"),
        text('p', "property", "Id"),
        text('t', "type", "service"),
        text(NONE, "state", "active"),
    ],
    ..spec("systemctl", Text)
};

/// Programs that say which they are without looking at the project that they are asked in.
///
/// `cargo`, `rustc`, `go`, `dotnet`, `yarn` and others are none of these: a file of the project chooses which of them
/// answers.
const KNOW_THEMSELVES: &[(&str, &[&str])] = &[
    ("clang", &["--version"]),
    ("clang++", &["--version"]),
    ("cmake", &["--version"]),
    ("g++", &["--version"]),
    ("gcc", &["--version"]),
    ("java", &["-version", "--version"]),
    ("javac", &["-version", "--version"]),
    ("lua", &["-v"]),
    ("make", &["--version", "-v"]),
    ("ninja", &["--version"]),
    ("node", &["--version", "-v"]),
    ("perl", &["--version", "-v"]),
    ("php", &["--version", "-v"]),
    ("pip", &["--version", "-V"]),
    ("python", &["--version", "-V"]),
    ("python3", &["--version", "-V"]),
    ("ruby", &["--version", "-v"]),
];

/// Judges such a program; none where the program is another, or is asked for more.
pub(crate) fn judge(program: &str, words: &[Word]) -> Option<Judged> {
    let arguments = &words[1..];
    let is_known = match program {
        "systemctl" => return systemctl(arguments),
        "tar" => return tar(arguments),
        "unzip" => return unzip(arguments),
        "nm" => return names_options(arguments).then(Judged::opaque),
        "netstat" => return (!is_numeric(arguments)).then(Judged::acts),
        "ip" => ip(arguments),
        "dpkg" => asks_for_packages(arguments),
        "getent" => asks_for_names(arguments),
        _ => {
            let row = KNOW_THEMSELVES.binary_search_by(|(name, _)| (*name).cmp(program));
            let options = KNOW_THEMSELVES[row.ok()?].1;
            matches!(arguments, [word] if word.known().is_some_and(|text| options.contains(&text)))
        }
    };
    is_known.then(Judged::reads)
}

/// Reports whether a word is, or may be, `@FILE`: a file of further options.
fn names_options(arguments: &[Word]) -> bool {
    arguments
        .iter()
        .any(|word| word.text.starts_with('@') || word.text.is_empty() && !word.is_exact)
}

/// Reports whether addresses are shown as numbers: their names would have to be asked for.
fn is_numeric(arguments: &[Word]) -> bool {
    let mut known = arguments.iter().filter_map(Word::known);
    known.any(|text| {
        let letters = text.strip_prefix('-').filter(|text| !text.starts_with('-'));
        text == "--numeric" || letters.is_some_and(|letters| letters.contains('n'))
    })
}

fn systemctl(arguments: &[Word]) -> Option<Judged> {
    const ASKS: &[&str] = &[
        "cat",
        "is-active",
        "is-enabled",
        "is-failed",
        "list-dependencies",
        "list-timers",
        "list-unit-files",
        "list-units",
        "show",
        "status",
    ];
    let mut judged = Judged::reads();
    super::common::apply(&SYSTEMCTL, arguments, &mut judged);
    let operand =
        super::getopt::Arguments::new(&SYSTEMCTL, arguments).find_map(|item| match item {
            super::getopt::Item::Operand(word, _) => Some(word),
            _ => None,
        });
    let asks = operand.is_none_or(|word| word.known().is_some_and(|text| ASKS.contains(&text)));
    asks.then_some(judged)
}

/// `tar tf FILE`: a `:` in the name would be of an archive of another machine.
fn tar(arguments: &[Word]) -> Option<Judged> {
    let (bundle, rest) = arguments.split_first()?;
    let (file, members) = rest.split_first()?;
    let letters = bundle.known()?.trim_start_matches('-');
    let is_listing = letters.ends_with('f')
        && letters.contains('t')
        && letters.bytes().all(|b| b"tvzjJf".contains(&b));
    let is_file = file.is_exact && !file.text.contains(':');
    let are_names = members
        .iter()
        .all(|word| word.is_exact && !word.text.starts_with('-'));
    if !is_listing || !is_file || !are_names {
        return None;
    }
    let mut judged = Judged::reads();
    judged.read(file);
    Some(judged)
}

fn unzip(arguments: &[Word]) -> Option<Judged> {
    let [option, file, members @ ..] = arguments else {
        return None;
    };
    let lists = matches!(option.known(), Some("-l" | "-v" | "-Z"));
    let are_names = members
        .iter()
        .chain([file])
        .all(|word| word.is_exact && !word.text.starts_with('-'));
    if !lists || !are_names {
        return None;
    }
    let mut judged = Judged::reads();
    judged.read(file);
    Some(judged)
}

/// `ip`: an object, and nothing, or what is to be shown of it. Its words may be abbreviated, so few are accepted.
fn ip(arguments: &[Word]) -> bool {
    let mut rest = arguments;
    while let Some((word, others)) = rest.split_first()
        && matches!(
            word.known(),
            Some(
                "-4" | "-6"
                    | "-br"
                    | "-brief"
                    | "-c"
                    | "-color"
                    | "-d"
                    | "-details"
                    | "-j"
                    | "-json"
                    | "-o"
                    | "-p"
                    | "-s"
            )
        )
    {
        rest = others;
    }
    let texts: Option<Vec<&str>> = rest.iter().map(Word::known).collect();
    let Some(texts) = texts else { return false };
    let is_object = |text: &str| {
        matches!(
            text,
            "a" | "addr"
                | "address"
                | "l"
                | "link"
                | "n"
                | "neigh"
                | "r"
                | "route"
                | "rule"
                | "maddr"
        )
    };
    match texts[..] {
        [object] | [object, "show" | "list" | "ls"] => is_object(object),
        [object, "show" | "list" | "ls", "dev", name] => {
            is_object(object) && !name.starts_with('-')
        }
        _ => false,
    }
}

fn asks_for_packages(arguments: &[Word]) -> bool {
    let Some((first, rest)) = arguments.split_first() else {
        return false;
    };
    matches!(
        first.known(),
        Some("-l" | "-L" | "-s" | "-S" | "--list" | "--listfiles" | "--status" | "--search")
    ) && rest
        .iter()
        .all(|word| !word.text.starts_with('-') && (word.is_exact || !word.text.is_empty()))
}

/// `getent`: the databases that are no secrets. `hosts` would ask the network.
fn asks_for_names(arguments: &[Word]) -> bool {
    matches!(
        arguments.first().and_then(Word::known),
        Some("passwd" | "group" | "services" | "protocols")
    ) && arguments
        .iter()
        .all(|word| word.is_exact && !word.text.starts_with('-'))
}
