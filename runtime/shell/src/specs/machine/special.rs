//! Programs of the machine that are more than their options: services, packages, archives, and who they are.

use super::super::judged::CommandJudgement;
use super::super::table::{NONE, OperandSpec, Spec, SpecialProgram, spec, text};
use super::super::word::Word;
use super::super::{common, getopt};
use OperandSpec::Text;

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

/// Programs that are more than their options. Sorted by name.
pub(crate) static TABLE: &[SpecialProgram] = &[
    SpecialProgram {
        name: "dpkg",
        judge: |arguments| asks_for_packages(arguments).then(CommandJudgement::new_reading),
        samples: &[
            "dpkg -l",
            "dpkg -s bash",
            "dpkg --listfiles bash",
            "dpkg -S bash",
        ],
    },
    SpecialProgram {
        name: "g++",
        judge: |arguments| judge_version(arguments, &["--version"]),
        samples: &["/usr/local/bin/g++ --version"],
    },
    SpecialProgram {
        name: "gcc",
        judge: |arguments| judge_version(arguments, &["--version"]),
        samples: &["/usr/local/bin/gcc --version"],
    },
    SpecialProgram {
        name: "getent",
        judge: |arguments| asks_for_names(arguments).then(CommandJudgement::new_reading),
        samples: &[
            "getent passwd",
            "getent group root",
            "getent services 80",
            "getent protocols tcp",
        ],
    },
    SpecialProgram {
        name: "ip",
        judge: |arguments| is_ip_query(arguments).then(CommandJudgement::new_reading),
        samples: &[
            "ip addr",
            "ip -br link show",
            "ip route list",
            "ip -4 a show dev lo",
        ],
    },
    SpecialProgram {
        name: "java",
        judge: |arguments| judge_version(arguments, &["-version", "--version"]),
        samples: &[
            "/usr/local/bin/java -version",
            "/usr/local/bin/java --version",
        ],
    },
    SpecialProgram {
        name: "javac",
        judge: |arguments| judge_version(arguments, &["-version", "--version"]),
        samples: &[
            "/usr/local/bin/javac -version",
            "/usr/local/bin/javac --version",
        ],
    },
    SpecialProgram {
        name: "make",
        judge: |arguments| judge_version(arguments, &["--version", "-v"]),
        samples: &["/usr/local/bin/make --version", "/usr/local/bin/make -v"],
    },
    SpecialProgram {
        name: "node",
        judge: |arguments| judge_version(arguments, &["--version", "-v"]),
        samples: &["/usr/local/bin/node --version", "/usr/local/bin/node -v"],
    },
    SpecialProgram {
        name: "perl",
        judge: |arguments| judge_version(arguments, &["--version", "-v"]),
        samples: &["/usr/local/bin/perl --version", "/usr/local/bin/perl -v"],
    },
    SpecialProgram {
        name: "python",
        judge: |arguments| judge_version(arguments, &["--version", "-V"]),
        samples: &[
            "/usr/local/bin/python --version",
            "/usr/local/bin/python -V",
        ],
    },
    SpecialProgram {
        name: "python3",
        judge: |arguments| judge_version(arguments, &["--version", "-V"]),
        samples: &[
            "/usr/local/bin/python3 --version",
            "/usr/local/bin/python3 -V",
        ],
    },
    SpecialProgram {
        name: "systemctl",
        judge: systemctl,
        samples: &[
            "systemctl",
            "systemctl status x",
            "systemctl list-units --type service",
            "systemctl is-active x",
            "systemctl cat x",
            "systemctl list-dependencies",
        ],
    },
    SpecialProgram {
        name: "tar",
        judge: tar,
        samples: &["tar tf a.txt", "tar -tvf a.txt", "tar tzf a.txt src"],
    },
    SpecialProgram {
        name: "unzip",
        judge: unzip,
        samples: &["unzip -l a.txt", "unzip -v a.txt x", "unzip -Z a.txt"],
    },
];

/// A program that says which it is, without a look at the project that it is asked in.
///
/// `cargo`, `rustc`, `go`, `dotnet`, `yarn` and others are none of these: a file of the project chooses which of them
/// answers.
fn judge_version(arguments: &[Word], options: &[&str]) -> Option<CommandJudgement> {
    let [option] = arguments else { return None };
    let is_known = option.known().is_some_and(|text| options.contains(&text));
    is_known.then(CommandJudgement::new_reading)
}

fn systemctl(arguments: &[Word]) -> Option<CommandJudgement> {
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
    let mut judged = CommandJudgement::new_reading();
    common::apply(&SYSTEMCTL, arguments, &mut judged);
    let operand = getopt::GetoptIter::new(&SYSTEMCTL, arguments).find_map(|item| match item {
        getopt::GetoptItem::Operand(word, _) => Some(word),
        _ => None,
    });
    let asks = operand.is_none_or(|word| word.known().is_some_and(|text| ASKS.contains(&text)));
    asks.then_some(judged)
}

/// `tar tf FILE`: a `:` in the name would be of an archive of another machine.
fn tar(arguments: &[Word]) -> Option<CommandJudgement> {
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
    let mut judged = CommandJudgement::new_reading();
    judged.read(file);
    Some(judged)
}

fn unzip(arguments: &[Word]) -> Option<CommandJudgement> {
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
    let mut judged = CommandJudgement::new_reading();
    judged.read(file);
    Some(judged)
}

/// `ip`: an object, and nothing, or what is to be shown of it. Its words may be abbreviated, so few are accepted.
fn is_ip_query(arguments: &[Word]) -> bool {
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
