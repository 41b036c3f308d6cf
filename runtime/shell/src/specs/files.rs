//! Programs that display information about files and folders.

use super::table::{
    NONE, OperandSpec, OptSpec, Spec, acts, acts_with, connects, harmless, optional, reads, spec,
    text,
};
use OperandSpec::{Files, Names, Nothing, Text};

const LIST: &[OptSpec] = &[
    text('I', "ignore", "*.o"),
    text('T', "tabsize", "4"),
    text('w', "width", "80"),
    text(NONE, "block-size", "1K"),
    text(NONE, "format", "single-column"),
    text(NONE, "hide", "*.o"),
    text(NONE, "indicator-style", "slash"),
    text(NONE, "quoting-style", "shell"),
    text(NONE, "sort", "size"),
    text(NONE, "time", "ctime"),
    text(NONE, "time-style", "iso"),
    optional(NONE, "color", "auto"),
    optional(NONE, "classify", "auto"),
    optional(NONE, "hyperlink", "never"),
];

const fn list(name: &'static str) -> Spec {
    harmless(name, Names)
        .flags(
            "1ABCDFGHLNQRSUXZabcdfghiklmnopqrstuvx",
            "all almost-all author context dereference dereference-command-line \
             dereference-command-line-symlink-to-dir directory dired escape file-type full-time \
             group-directories-first help hide-control-chars human-readable ignore-backups inode \
             kibibytes literal no-group numeric-uid-gid quote-name recursive reverse \
             show-control-chars si size version zero",
        )
        .options(LIST)
}

/// Sorted by name.
pub(crate) static TABLE: &[Spec] = &[
    harmless("basename", Text)
        .flags("az", "help multiple version zero")
        .options(&[text('s', "suffix", ".rs")])
        .stops_at_operand(),
    spec("df", Names)
        .flags(
            "HPTahikl",
            "all help human-readable inodes local no-sync portability print-type si total version",
        )
        .options(&[
            text('B', "block-size", "1M"),
            text('t', "type", "ext4"),
            text('x', "exclude-type", "tmpfs"),
            optional(NONE, "output", "source"),
        ]),
    list("dir"),
    harmless("dirname", Text).flags("z", "help version zero"),
    harmless("du", Names)
        .flags(
            "0DHLPSabchklmsx",
            "all apparent-size bytes count-links dereference dereference-args help human-readable \
             inodes no-dereference null one-file-system separate-dirs si summarize total version",
        )
        .options(&[
            text('B', "block-size", "1M"),
            text('d', "max-depth", "1"),
            text('t', "threshold", "1K"),
            text(NONE, "exclude", "*.o"),
            text(NONE, "time-style", "iso"),
            optional(NONE, "time", "ctime"),
            reads('X', "exclude-from"),
        ]),
    // `-C` writes a compiled magic file, `-p` sets times, `-z` starts programs for decompression.
    spec("file", Files)
        .flags(
            "0ELNbchiklnrv",
            "apple brief checking-printout dereference extension help keep-going list mime \
             mime-encoding mime-type no-buffer no-dereference no-pad print0 raw version",
        )
        .options(&[
            text('F', "separator", ":"),
            text('e', "exclude", "tar"),
            text(NONE, "exclude-quiet", "tar"),
            reads('f', "files-from"),
            acts('C', "compile"),
            acts('p', "preserve-date"),
        ]),
    list("ls"),
    harmless("namei", Names).flags(
        "Vhlmnovx",
        "help long modes mountpoints owners version vertical",
    ),
    harmless("pathchk", Names).flags("Pp", "help portability version"),
    harmless("readlink", Names).flags(
        "efmnqsvz",
        "canonicalize canonicalize-existing canonicalize-missing help no-newline quiet silent \
         verbose version zero",
    ),
    harmless("realpath", Names)
        .flags(
            "LPemqsz",
            "canonicalize-existing canonicalize-missing help logical no-symlinks physical quiet \
             strip version zero",
        )
        .options(&[reads(NONE, "relative-base"), reads(NONE, "relative-to")]),
    harmless("stat", Names)
        .flags("Lft", "dereference file-system help terse version")
        .options(&[
            text('c', "format", "%n"),
            text(NONE, "printf", "%n"),
            text(NONE, "cached", "never"),
        ]),
    list("vdir"),
    spec("whereis", Text).flags("Vbhlmsu", "help version"),
    // A system script that searches the folders of `PATH`.
    spec("which", Text).flags("as", ""),
];

/// Programs that display the state of the machine. Sorted by name.
pub(crate) static SYSTEM: &[Spec] = &[
    spec("arch", Nothing).flags("", "help version"),
    spec("date", OperandSpec::Format)
        .flags(
            "Ru",
            "debug help resolution rfc-email universal utc version",
        )
        .options(&[
            text('d', "date", "yesterday"),
            text(NONE, "rfc-3339", "seconds"),
            optional('I', "iso-8601", "seconds"),
            reads('f', "file"),
            reads('r', "reference"),
            acts_with('s', "set"),
        ]),
    spec("free", Nothing)
        .flags(
            "Vbghklmtvw",
            "bytes committed gibi giga help human kibi kilo lohi mebi mega pebi peta si tebi tera \
             total version wide",
        )
        .options(&[text('c', "count", "1"), text('s', "seconds", "1")]),
    spec("getconf", Names).flags("a", ""),
    harmless("groups", Text).flags("", "help version"),
    spec("hostname", Nothing)
        .flags("Is", "all-ip-addresses help short version")
        .options(&[
            connects('A', "all-fqdns"),
            connects('a', "alias"),
            connects('d', "domain"),
            connects('f', "fqdn"),
            connects('i', "ip-address"),
            connects('y', "yp"),
            acts_with('F', "file"),
            acts('b', "boot"),
        ]),
    harmless("id", Text).flags(
        "GZagnruz",
        "context group groups help name real user version zero",
    ),
    harmless("locale", Text).flags(
        "Vack",
        "all-locales category-name help keyword-name version",
    ),
    spec("logname", Nothing).flags("", "help version"),
    spec("lsblk", Names)
        .flags(
            "AJMOPSVabdfhilmnprstyz",
            "all ascii bytes discard fs help inverse json list merge nodeps noempty noheadings \
             output-all pairs paths perms raw scsi shell topology version zoned",
        )
        .options(&[
            text('E', "dedup", "NAME"),
            text('I', "include", "8"),
            text('e', "exclude", "7"),
            text('o', "output", "NAME"),
            text('w', "width", "80"),
            text('x', "sort", "NAME"),
            optional('T', "tree", "NAME"),
        ]),
    spec("lscpu", Nothing)
        .flags(
            "BJVabchxy",
            "all bytes help hex json offline online output-all physical version",
        )
        .options(&[
            optional('C', "caches", "NAME"),
            optional('e', "extended", "CPU"),
            optional('p', "parse", "CPU"),
        ]),
    spec("nproc", Nothing)
        .flags("", "all help version")
        .options(&[text(NONE, "ignore", "1")]),
    harmless("pgrep", Text)
        .flags(
            "LVacfhilnotvwx",
            "count exact full help ignore-ancestors ignore-case inverse lightweight list-full \
             list-name newest oldest version",
        )
        .options(&[
            text('G', "group", "0"),
            text('O', "older", "1"),
            text('P', "parent", "1"),
            text('U', "uid", "0"),
            text('d', "delimiter", ","),
            text('g', "pgroup", "1"),
            text('r', "runstates", "S"),
            text('s', "session", "1"),
            text('t', "terminal", "pts/0"),
            text('u', "euid", "0"),
            reads('F', "pidfile"),
        ]),
    spec("pidof", Text)
        .flags("cnqsx", "")
        .options(&[text('o', "", "1")]),
    spec("tty", Nothing).flags("s", "help quiet silent version"),
    harmless("uname", Nothing).flags(
        "aimnoprsv",
        "all hardware-platform help kernel-name kernel-release kernel-version machine nodename \
         operating-system processor version",
    ),
    spec("uptime", Nothing).flags("Vhps", "help pretty since version"),
    spec("users", Names).flags("", "help version"),
    spec("w", Text).flags(
        "Vfhious",
        "from help ip-addr no-current no-header old-style short version",
    ),
    spec("who", Names).flags(
        "HTabdlmpqrstuw",
        "all boot count dead heading help login mesg message process runlevel short time users \
         version writable",
    ),
    spec("whoami", Nothing).flags("", "help version"),
];
