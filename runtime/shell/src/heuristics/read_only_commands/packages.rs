//! System package managers.

use super::spec::{ReadOnlySpec, subcommands};
use super::subcommands::{SubcommandSet, alone, family, sub};
use crate::name_list::names;

pub(super) static TABLE: &[ReadOnlySpec] = &[
    subcommands("apt", &APT),
    subcommands("apt-cache", &APT_CACHE),
    subcommands("brew", &BREW),
    subcommands("dpkg dpkg-query", &DPKG),
    subcommands("pacman", &PACMAN),
    subcommands("rpm", &RPM),
    subcommands("snap", &SNAP),
];

const APT_OPTIONS: &str = "-o --option -c --config-file";

static APT: SubcommandSet = family(&[sub(
    "list, show, search, policy, depends, rdepends",
    APT_OPTIONS,
)]);

static APT_CACHE: SubcommandSet = family(&[sub(
    "policy, show, search, depends, rdepends, madison, showpkg, stats",
    APT_OPTIONS,
)]);

static BREW: SubcommandSet = family(&[
    sub("list, ls, deps, leaves, config, uses, desc", ""),
    sub("info", "--github"),
    sub("outdated", "--fetch-HEAD"),
    alone("services list, --prefix", ""),
]);

static DPKG: SubcommandSet = SubcommandSet {
    version_options: names!(
        "--version --help --print-architecture -l --list -W --audit --get-selections"
    ),
    ..family(&[sub(
        "-l, --list, -L, --listfiles, -s, --status, -S, --search, -W, --show",
        DPKG_OPTIONS,
    )])
};

const DPKG_OPTIONS: &str = "--root --admindir --instdir --pre-invoke --post-invoke --status-logger \
                            --log -i -r -P --install --remove --purge --unpack --configure \
                            --set-selections --clear-avail";

static PACMAN: SubcommandSet = family(&[sub("-Q, -Qi, -Ql, -Qs, -Ss, -Si, -Qo", PACMAN_OPTIONS)]);

const PACMAN_OPTIONS: &str = "-S -R -U -y -u -D -F --sync --remove --upgrade --config --hookdir \
                              --root --dbpath --sysroot --cachedir --logfile --gpgdir -b -r \
                              --database --files --refresh --sysupgrade";

static RPM: SubcommandSet = family(&[sub("-qa, -q, -qi, -ql, -qf", RPM_OPTIONS)]);

const RPM_OPTIONS: &str = "-i -U -e -F --install --upgrade --erase --eval -E --pipe -D --define \
                           --rcfile --macros --load --root --dbpath --import --rebuilddb --initdb \
                           --setperms --setugids --restore --freshen --reinstall";

static SNAP: SubcommandSet = family(&[
    alone("list, version, changes", ""),
    sub("info, services", ""),
]);
