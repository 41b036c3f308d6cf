//! Programs that display information about the machine and its users.

use super::spec::Operands::{Names, Nothing, Text};
use super::spec::{ReadOnlySpec, judged, read_only};
use super::special;

pub(super) static TABLE: &[ReadOnlySpec] = &[
    read_only(
        "alias arch lsb_release lsmod nproc runlevel times tty umask uname uptime users who whoami",
        Nothing,
        "",
        "",
    ),
    read_only("apropos whatis", Text, "", "-C --config-file"),
    read_only(
        "cal command getconf groups help id iostat locale mpstat pgrep pidof ps pstree sleep type \
         vmstat w",
        Text,
        "",
        "",
    ),
    judged("date", special::date),
    read_only(
        "dmesg",
        Nothing,
        "lfs",
        "-C --clear -c --read-clear -D -E -n -F --console-off --console-on --console-level --file",
    ),
    read_only("env", Nothing, "", "-S --split-string"),
    read_only("free", Nothing, "sc", ""),
    judged("getent", special::getent),
    read_only("hash", Nothing, "", "-r -p -d"),
    judged("history", special::history),
    read_only("hostname", Nothing, "", "-F --file -b --boot"),
    read_only("jobs", Text, "", "-x"),
    read_only("last", Text, "fn", ""),
    read_only("lsattr", Names, "", ""),
    read_only("lsblk", Names, "oExIeS", "--sysroot"),
    read_only("lscpu", Nothing, "", "-s --sysroot"),
    read_only("lsof", Text, "", "-D"),
    read_only("lspci", Nothing, "", "-H -F -i -p -A -O -q -Q"),
    read_only("lsusb", Nothing, "", "-D"),
    read_only(
        "man",
        Text,
        "s",
        "-C --config-file -P --pager -H --html -X --gxditview -T --troff-device -t --troff -p \
         --preprocessor -l --local-file -Z --ditroff -M --manpath",
    ),
    read_only(
        "mount",
        Nothing,
        "",
        "-a --all -o -t -B --bind -M --move -R -m -f -F -L -U --source --target",
    ),
    judged("printenv", special::printenv),
    read_only("ss", Text, "", "-K --kill -D --diag -F --filter"),
    read_only("wait", Text, "", "-p"),
];
