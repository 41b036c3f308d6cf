//! Programs that find and describe files, and archive programs.

use super::file_programs;
use super::spec::Operands::{Files, Names, Nothing, Text};
use super::spec::{ReadOnlySpec, judged, read_only};

pub(super) static TABLE: &[ReadOnlySpec] = &[
    judged("[ test", file_programs::test),
    judged("ar", file_programs::ar),
    read_only("basename dirname locate pwd whereis which", Text, "", ""),
    judged("cd", file_programs::cd),
    read_only(
        "cloc",
        Files,
        "",
        "--out --report-file --sql --extract-with --config --diff-alignment --count-and-diff \
         --ignored --counted --categorized --found --stat-cache --vcs --write-lang-def \
         --custom-headers --strip-comments --strip-code --original-dir --sdir --unix --dump",
    ),
    read_only(
        "df dir exa eza ls lsd namei pathchk readlink realpath vdir",
        Names,
        "",
        "",
    ),
    read_only("dirs", Nothing, "", "-c"),
    read_only("du", Names, "dBtX", ""),
    judged("fd fdfind", file_programs::fd),
    read_only("file", Files, "mefFPR", "-C --compile"),
    judged("find", file_programs::find),
    judged("gunzip gzip", file_programs::gzip),
    read_only("lzcat readelf size tokei zipinfo", Files, "", ""),
    read_only("nm objdump", Files, "", "--plugin"),
    read_only("scc", Files, "", "-o --output --format-multi"),
    read_only("stat", Names, "cf", ""),
    judged("tar", file_programs::tar),
    read_only("tree", Names, "IPLH", "-o -R --output"),
    judged("unzip", file_programs::unzip),
];
