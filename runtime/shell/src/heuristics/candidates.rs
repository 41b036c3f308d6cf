//! Words and texts among the arguments of a program that may be commands. They only serve deny rules, so the search is
//! broad.

use crate::name_list::{self, NameIndex};
use crate::script::ScriptWord;

/// Wrappers whose options are not listed: every argument may begin the inner command.
const ANY_WORD: &str = "bwrap catchsegv cgexec choom chpst dbus-launch dbus-run-session dumb-init \
                        eatmydata entr envdir faketime gosu hyperfine i386 linux32 linux64 newgrp \
                        numactl perf pkexec prlimit proot rlwrap run0 runuser script setarch \
                        setpriv setuidgid sg softlimit ssh-agent su su-exec systemd-inhibit tini \
                        tsp uname26 valgrind watchexec x86_64 xvfb-run";

static RUNS_ANY_WORD: NameIndex<()> = NameIndex::new(|| name_list::index([(ANY_WORD, ())]));

/// Reports whether each argument of a program may begin a command.
pub(super) fn runs_any_word(program: &str) -> bool {
    RUNS_ANY_WORD.contains_key(program) || program.starts_with("ld-") || program == "ld.so"
}

/// Options whose values are commands. A short option also matches in a bundle, a long option also abbreviated, and a
/// name without a dash is a sub-command.
const OPTIONS: &[(&str, &str)] = &[
    ("apt apt-get", "-o --option"),
    ("bat", "--pager"),
    ("bazel", "--run_under"),
    ("cargo", "--config"),
    ("compgen complete", "-C -F"),
    ("fd fdfind", "-x -X --exec --exec-batch"),
    ("gcc", "-wrapper"),
    (
        "git",
        "-c -x --exec --extcmd --upload-pack --receive-pack --open-files-in-pager --tree-filter \
         --index-filter --msg-filter --env-filter --commit-filter --parent-filter \
         --tag-name-filter --smtp-server run foreach",
    ),
    ("go", "-exec -toolexec -vettool"),
    ("helm", "--post-renderer"),
    ("install", "--strip-program"),
    ("less", "+!"),
    ("make", "--eval"),
    ("man", "-P --pager -H --html"),
    ("mapfile readarray", "-C"),
    ("nvim vi vim", "-c --cmd +"),
    ("pip", "--python"),
    ("rg", "--pre --hostname-bin"),
    ("rsync", "-e --rsh --rsync-path"),
    ("scp sftp", "-S -o"),
    ("sort", "--compress-program"),
    ("split", "--filter"),
    ("ssh", "-o"),
    (
        "tar",
        "-I --use-compress-program --to-command --checkpoint-action -F --info-script \
         --new-volume-script --rsh-command --rmt-command",
    ),
    ("tcpdump", "-z"),
    ("wget", "--use-askpass"),
    ("zip", "-TT --unzip-command"),
];

static OPTIONS_OF: NameIndex<&str> = NameIndex::new(|| name_list::index(OPTIONS.iter().copied()));

/// Returns the texts among the arguments of a program that may run as commands.
pub(super) fn texts(program: &str, words: &[ScriptWord<'_>]) -> Vec<String> {
    let arguments = words.get(1..).unwrap_or_default();
    let of_language: Option<fn(&str) -> Vec<String>> = match program {
        "sed" => Some(sed_commands),
        "awk" | "gawk" | "mawk" | "nawk" => Some(awk),
        _ => None,
    };
    if let Some(texts) = of_language {
        return arguments
            .iter()
            .flat_map(|word| texts(&word.text))
            .collect();
    }
    let Some(options) = OPTIONS_OF.get(program) else {
        return Vec::new();
    };
    let mut texts = Vec::new();
    for (at, word) in arguments.iter().enumerate() {
        let options = options.split_ascii_whitespace();
        for value in options.filter_map(|option| attached_value(&word.text, option)) {
            if !value.is_empty() {
                values(value, &mut texts);
            } else if let Some(next) = arguments.get(at + 1) {
                values(&next.text, &mut texts);
                let rest: Vec<&str> = arguments[at + 1..].iter().map(|word| &*word.text).collect();
                texts.push(rest.join(" "));
            }
        }
    }
    texts
}

/// Returns the value that is attached to an option; empty if the value is the next word.
fn attached_value<'t>(text: &'t str, option: &str) -> Option<&'t str> {
    if option.starts_with('+') {
        return text.strip_prefix(option);
    }
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    if option.starts_with("--") {
        let is_abbreviated = name.starts_with("--") && name.len() > 3 && option.starts_with(name);
        return is_abbreviated.then_some(value);
    }
    if !option.starts_with('-') || option.len() > 2 {
        return (name == option || name.strip_prefix('-') == Some(option)).then_some(value);
    }
    let bundle = text
        .strip_prefix('-')
        .filter(|rest| !rest.starts_with('-'))?;
    bundle.split_once(&option[1..]).map(|(_, rest)| rest)
}

/// Adds a value, and the text after each `=` in it (`exec=rm`, `alias.x=!rm`).
fn values(value: &str, texts: &mut Vec<String>) {
    let first = value.split(' ').next().unwrap_or_default();
    let begins = first.match_indices('=').map(|(at, _)| at + 1);
    for begin in std::iter::once(0).chain(begins) {
        texts.push(value[begin..].trim_start_matches('!').to_owned());
    }
}

/// Returns the commands of `e`, and all pieces that may be replaced if a substitution has the flag `e`.
fn sed_commands(script: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for (at, _) in script.match_indices('e') {
        let before =
            script[..at].trim_end_matches(|c: char| c.is_ascii_digit() || "gpiImM".contains(c));
        let rest = &script[at + 1..];
        let is_last = rest.is_empty() || rest.starts_with([';', '}', '\n', ' ']);
        if is_last && before.ends_with(|c: char| c.is_ascii_punctuation()) {
            let pieces = script.split(|c: char| c.is_ascii_punctuation() && !"-_.".contains(c));
            texts.extend(pieces.map(str::to_owned));
        }
        if !script[..at].ends_with(|c: char| c.is_ascii_alphabetic()) {
            texts.push(rest.lines().next().unwrap_or_default().to_owned());
        }
    }
    texts
}

/// Returns the quoted texts of an awk program that has pipes or calls of `system`.
fn awk(program: &str) -> Vec<String> {
    if !program.contains("system") && !program.contains('|') {
        return Vec::new();
    }
    let quoted = program.split('"').skip(1).step_by(2);
    quoted.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_program_is_listed_twice() {
        name_list::assert_disjoint([ANY_WORD]);
        name_list::assert_disjoint(OPTIONS.iter().map(|(names, _)| *names));
    }
}
