//! Programs that require more than a table of options: services, packages, archives, and version queries.

use super::super::judged::CommandJudgement;
use super::super::table::{NONE, OperandSpec, Spec, SpecialProgram, spec, text};
use super::super::word::Word;
use super::super::{common, getopt};
use crate::name_list::{self, NameIndex, NameList, names};
use OperandSpec::Text;

/// `systemctl`, with the sub-commands that only query.
static SYSTEMCTL: Spec = spec("systemctl", Text)
    .flags(
        "alq",
        "all failed full no-legend no-pager plain quiet system user",
    )
    .options(&[
        text('n', "lines", "5"),
        text('o', "output", "short"),
        text('p', "property", "Id"),
        text('t', "type", "service"),
        text(NONE, "state", "active"),
    ]);

/// Programs that require more than a table of options. Sorted by name.
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

/// Programs that print their version without reading the current project, with the options that do so.
///
/// `cargo`, `rustc`, `go`, `dotnet`, `yarn` and others are not listed: a file of the project selects which version of
/// the program runs.
const VERSIONS: &[(&str, &str)] = &[
    ("g++ gcc", "--version"),
    ("java javac", "-version --version"),
    ("make node perl", "--version -v"),
    ("python python3", "--version -V"),
];

static VERSIONS_OF: NameIndex<NameList> = NameIndex::new(|| name_list::index_lists(VERSIONS));

/// Judges a version query; returns `None` for any other call.
pub(crate) fn judge_version(program: &str, arguments: &[Word]) -> Option<CommandJudgement> {
    let [option] = arguments else { return None };
    let options = VERSIONS_OF.get(program)?;
    option
        .is_one_of(*options)
        .then(CommandJudgement::new_reading)
}

/// Returns the version queries of all programs, each with its program.
pub(crate) fn version_samples() -> impl Iterator<Item = (&'static str, String)> {
    VERSIONS.iter().flat_map(|(names, options)| {
        names.split(' ').flat_map(|name| {
            let options = options.split(' ');
            options.map(move |option| (name, format!("/usr/local/bin/{name} {option}")))
        })
    })
}

fn systemctl(arguments: &[Word]) -> Option<CommandJudgement> {
    const ASKS: NameList = NameList::new(
        "cat is-active is-enabled is-failed list-dependencies list-timers \
                        list-unit-files list-units show status",
    );
    let mut judged = CommandJudgement::new_reading();
    common::apply(&SYSTEMCTL, arguments, &mut judged);
    let operand = getopt::GetoptIter::new(&SYSTEMCTL, arguments).find_map(|item| match item {
        getopt::GetoptItem::Operand(word, _) => Some(word),
        _ => None,
    });
    let asks = operand.is_none_or(|word| word.is_one_of(ASKS));
    asks.then_some(judged)
}

/// Judges `tar tf FILE`: a name with a `:` would be an archive on another machine.
fn tar(arguments: &[Word]) -> Option<CommandJudgement> {
    let [bundle, archive, members @ ..] = arguments else {
        return None;
    };
    let letters = bundle.known()?.trim_start_matches('-');
    let is_listing = letters.ends_with('f')
        && letters.contains('t')
        && letters.bytes().all(|b| b"tvzjJf".contains(&b));
    let is_file = archive.is_exact && !archive.text.contains(':');
    (is_listing && is_file && members.iter().all(is_name))
        .then(|| CommandJudgement::new_reading_of(archive))
}

fn unzip(arguments: &[Word]) -> Option<CommandJudgement> {
    let [option, archive, members @ ..] = arguments else {
        return None;
    };
    let lists = matches!(option.known(), Some("-l" | "-v" | "-Z"));
    (lists && is_name(archive) && members.iter().all(is_name))
        .then(|| CommandJudgement::new_reading_of(archive))
}

fn is_name(word: &Word) -> bool {
    word.is_exact && !word.text.starts_with('-')
}

/// Reports whether `ip` only displays: an object alone, or with a `show` command. The words may be abbreviated, so only
/// few are accepted.
fn is_ip_query(arguments: &[Word]) -> bool {
    const FLAGS: NameList =
        NameList::new("-4 -6 -br -brief -c -color -d -details -j -json -o -p -s");
    const OBJECTS: NameList = NameList::new("a addr address l link n neigh r route rule maddr");
    let Some(texts) = arguments
        .iter()
        .map(Word::known)
        .collect::<Option<Vec<_>>>()
    else {
        return false;
    };
    let flags = texts.iter().take_while(|text| FLAGS.has(text));
    match texts[flags.count()..] {
        [object] | [object, "show" | "list" | "ls"] => OBJECTS.has(object),
        [object, "show" | "list" | "ls", "dev", name] => {
            OBJECTS.has(object) && !name.starts_with('-')
        }
        _ => false,
    }
}

fn asks_for_packages(arguments: &[Word]) -> bool {
    let Some((first, rest)) = arguments.split_first() else {
        return false;
    };
    first.is_one_of(names!("-l -L -s -S --list --listfiles --status --search"))
        && !rest.iter().any(Word::may_be_option)
}

/// Reports whether `getent` queries a database without secrets. `hosts` would use the network.
fn asks_for_names(arguments: &[Word]) -> bool {
    matches!(
        arguments.first().and_then(Word::known),
        Some("passwd" | "group" | "services" | "protocols")
    ) && arguments.iter().all(is_name)
}
