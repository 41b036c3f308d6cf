//! Package managers of systems.

use super::Operands::Judged;
use super::subs::{Family, Sub, alone, sub};
use super::{Reader, reader};

/// Sorted by name.
pub(super) static TABLE: &[Reader] = &[
    reader("apt", Judged(|words, leaf| APT.judge(words, leaf)), "", &[]),
    reader(
        "apt-cache",
        Judged(|words, leaf| APT_CACHE.judge(words, leaf)),
        "",
        &[],
    ),
    reader(
        "brew",
        Judged(|words, leaf| BREW.judge(words, leaf)),
        "",
        &[],
    ),
    reader(
        "dpkg",
        Judged(|words, leaf| DPKG.judge(words, leaf)),
        "",
        &[],
    ),
    reader(
        "dpkg-query",
        Judged(|words, leaf| DPKG.judge(words, leaf)),
        "",
        &[],
    ),
    reader(
        "pacman",
        Judged(|words, leaf| PACMAN.judge(words, leaf)),
        "",
        &[],
    ),
    reader("rpm", Judged(|words, leaf| RPM.judge(words, leaf)), "", &[]),
    reader(
        "snap",
        Judged(|words, leaf| SNAP.judge(words, leaf)),
        "",
        &[],
    ),
];

const fn family(subs: &'static [Sub]) -> Family {
    Family {
        flags: &[],
        valued: &[],
        alone: &["--version", "--help", "-h", "-v", "version", "help"],
        bare: false,
        subs,
    }
}

const APT_OPTIONS: &[&str] = &["-o", "--option", "-c", "--config-file"];

static APT: Family = family(&[
    sub("list", APT_OPTIONS),
    sub("show", APT_OPTIONS),
    sub("search", APT_OPTIONS),
    sub("policy", APT_OPTIONS),
    sub("depends", APT_OPTIONS),
    sub("rdepends", APT_OPTIONS),
]);

static APT_CACHE: Family = family(&[
    sub("policy", APT_OPTIONS),
    sub("show", APT_OPTIONS),
    sub("search", APT_OPTIONS),
    sub("depends", APT_OPTIONS),
    sub("rdepends", APT_OPTIONS),
    sub("madison", APT_OPTIONS),
    sub("showpkg", APT_OPTIONS),
    sub("stats", APT_OPTIONS),
]);

static BREW: Family = family(&[
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

static DPKG: Family = Family {
    flags: &[],
    valued: &[],
    alone: &[
        "--version",
        "--help",
        "--print-architecture",
        "-l",
        "--list",
        "-W",
        "--audit",
        "--get-selections",
    ],
    bare: false,
    subs: &[
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

static PACMAN: Family = family(&[
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

static RPM: Family = family(&[
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

static SNAP: Family = family(&[
    alone("list", &[]),
    sub("info", &[]),
    alone("version", &[]),
    sub("services", &[]),
    alone("changes", &[]),
]);
