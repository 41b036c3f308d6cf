//! Package managers of systems.

use super::spec::Operands::Judged;
use super::spec::{ReadOnlySpec, read_only};
use super::subcommands::{Subcommand, SubcommandSet, alone, sub};

/// Sorted by name.
pub(super) static TABLE: &[ReadOnlySpec] = &[
    read_only(
        "apt",
        Judged(|words, facts| APT.judge(words, facts)),
        "",
        &[],
    ),
    read_only(
        "apt-cache",
        Judged(|words, facts| APT_CACHE.judge(words, facts)),
        "",
        &[],
    ),
    read_only(
        "brew",
        Judged(|words, facts| BREW.judge(words, facts)),
        "",
        &[],
    ),
    read_only(
        "dpkg",
        Judged(|words, facts| DPKG.judge(words, facts)),
        "",
        &[],
    ),
    read_only(
        "dpkg-query",
        Judged(|words, facts| DPKG.judge(words, facts)),
        "",
        &[],
    ),
    read_only(
        "pacman",
        Judged(|words, facts| PACMAN.judge(words, facts)),
        "",
        &[],
    ),
    read_only(
        "rpm",
        Judged(|words, facts| RPM.judge(words, facts)),
        "",
        &[],
    ),
    read_only(
        "snap",
        Judged(|words, facts| SNAP.judge(words, facts)),
        "",
        &[],
    ),
];

const fn family(subs: &'static [Subcommand]) -> SubcommandSet {
    SubcommandSet {
        flags: &[],
        value_options: &[],
        version_options: &["--version", "--help", "-h", "-v", "version", "help"],
        allows_no_subcommand: false,
        subcommands: subs,
    }
}

const APT_OPTIONS: &[&str] = &["-o", "--option", "-c", "--config-file"];

static APT: SubcommandSet = family(&[
    sub("list", APT_OPTIONS),
    sub("show", APT_OPTIONS),
    sub("search", APT_OPTIONS),
    sub("policy", APT_OPTIONS),
    sub("depends", APT_OPTIONS),
    sub("rdepends", APT_OPTIONS),
]);

static APT_CACHE: SubcommandSet = family(&[
    sub("policy", APT_OPTIONS),
    sub("show", APT_OPTIONS),
    sub("search", APT_OPTIONS),
    sub("depends", APT_OPTIONS),
    sub("rdepends", APT_OPTIONS),
    sub("madison", APT_OPTIONS),
    sub("showpkg", APT_OPTIONS),
    sub("stats", APT_OPTIONS),
]);

static BREW: SubcommandSet = family(&[
    sub("list", &[]),
    sub("ls", &[]),
    sub("info", &["--github"]),
    sub("deps", &[]),
    sub("leaves", &[]),
    sub("config", &[]),
    sub("outdated", &["--fetch-HEAD"]),
    sub("uses", &[]),
    sub("desc", &[]),
    alone("services list", &[]),
    alone("--prefix", &[]),
]);

static DPKG: SubcommandSet = SubcommandSet {
    flags: &[],
    value_options: &[],
    version_options: &[
        "--version",
        "--help",
        "--print-architecture",
        "-l",
        "--list",
        "-W",
        "--audit",
        "--get-selections",
    ],
    allows_no_subcommand: false,
    subcommands: &[
        sub("-l", DPKG_OPTIONS),
        sub("--list", DPKG_OPTIONS),
        sub("-L", DPKG_OPTIONS),
        sub("--listfiles", DPKG_OPTIONS),
        sub("-s", DPKG_OPTIONS),
        sub("--status", DPKG_OPTIONS),
        sub("-S", DPKG_OPTIONS),
        sub("--search", DPKG_OPTIONS),
        sub("-W", DPKG_OPTIONS),
        sub("--show", DPKG_OPTIONS),
    ],
};

const DPKG_OPTIONS: &[&str] = &[
    "--root",
    "--admindir",
    "--instdir",
    "--pre-invoke",
    "--post-invoke",
    "--status-logger",
    "--log",
    "-i",
    "-r",
    "-P",
    "--install",
    "--remove",
    "--purge",
    "--unpack",
    "--configure",
    "--set-selections",
    "--clear-avail",
];

static PACMAN: SubcommandSet = family(&[
    sub("-Q", PACMAN_OPTIONS),
    sub("-Qi", PACMAN_OPTIONS),
    sub("-Ql", PACMAN_OPTIONS),
    sub("-Qs", PACMAN_OPTIONS),
    sub("-Ss", PACMAN_OPTIONS),
    sub("-Si", PACMAN_OPTIONS),
    sub("-Qo", PACMAN_OPTIONS),
]);

const PACMAN_OPTIONS: &[&str] = &[
    "-S",
    "-R",
    "-U",
    "-y",
    "-u",
    "-D",
    "-F",
    "--sync",
    "--remove",
    "--upgrade",
    "--config",
    "--hookdir",
    "--root",
    "--dbpath",
    "--sysroot",
    "--cachedir",
    "--logfile",
    "--gpgdir",
    "-b",
    "-r",
    "--database",
    "--files",
    "--refresh",
    "--sysupgrade",
];

static RPM: SubcommandSet = family(&[
    sub("-qa", RPM_OPTIONS),
    sub("-q", RPM_OPTIONS),
    sub("-qi", RPM_OPTIONS),
    sub("-ql", RPM_OPTIONS),
    sub("-qf", RPM_OPTIONS),
]);

const RPM_OPTIONS: &[&str] = &[
    "-i",
    "-U",
    "-e",
    "-F",
    "--install",
    "--upgrade",
    "--erase",
    "--eval",
    "-E",
    "--pipe",
    "-D",
    "--define",
    "--rcfile",
    "--macros",
    "--load",
    "--root",
    "--dbpath",
    "--import",
    "--rebuilddb",
    "--initdb",
    "--setperms",
    "--setugids",
    "--restore",
    "--freshen",
    "--reinstall",
];

static SNAP: SubcommandSet = family(&[
    alone("list", &[]),
    sub("info", &[]),
    alone("version", &[]),
    sub("services", &[]),
    alone("changes", &[]),
]);
