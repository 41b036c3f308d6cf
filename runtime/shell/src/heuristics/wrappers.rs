//! Programs that run another: what they run is seen through them.

mod command_texts;
mod options;

use self::command_texts::{shell, split_string, ssh, watch, with_command_option};
use self::options::WrapperOption;
pub(crate) use self::options::may_begin;
use crate::script::ScriptWord;

/// What a wrapper runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WrappedCommand {
    /// Nothing but itself.
    Nothing,
    /// The command that begins at this word.
    Command(usize),
    /// A text in the language of the shell.
    Script(String),
    /// What it reads from its input, in the language of the shell.
    Input,
    /// Something that is unknown here.
    Unknown(&'static str),
}

/// How a wrapper changes what it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WrapperEffect {
    /// Not at all: what the inner command does is all that happens.
    Transparent,
    /// The inner command gets further arguments that are not in the text.
    AddsArguments,
    /// With another authority, elsewhere, or with further effects: a rule about the inner command does not allow it.
    Other,
}

/// A wrapper, and what it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wrapper {
    pub(crate) inner: WrappedCommand,
    pub(crate) effect: WrapperEffect,
}

/// How to find the inner command of a wrapper of the simplest kind.
struct WrapperSpec {
    name: &'static str,
    effect: WrapperEffect,
    /// The options whose value is a word of its own.
    value_options: &'static [&'static str],
    /// How many operands come before the inner command.
    operands: usize,
    /// The options that make it something else than a plain wrapper: they write, or they change what runs.
    effect_options: &'static [&'static str],
}

const fn shape(
    name: &'static str,
    manner: WrapperEffect,
    valued: &'static [&'static str],
    operands: usize,
    unusual: &'static [&'static str],
) -> WrapperSpec {
    WrapperSpec {
        name,
        effect: manner,
        value_options: valued,
        operands,
        effect_options: unusual,
    }
}

use WrapperEffect::{AddsArguments, Other, Transparent};

/// Sorted by name.
static SHAPES: &[WrapperSpec] = &[
    shape("builtin", Transparent, &[], 0, &[]),
    shape("busybox", Transparent, &[], 0, &["--install"]),
    shape("caffeinate", Transparent, &["-t", "-w"], 0, &[]),
    shape("chroot", Other, &["--userspec", "--groups"], 1, &[]),
    shape(
        "chrt",
        Transparent,
        &["-T", "-P", "-D"],
        1,
        &["-p", "--pid"],
    ),
    shape("command", Transparent, &[], 0, &[]),
    shape("coproc", Transparent, &[], 0, &[]),
    shape("doas", Other, &["-u", "-C"], 0, &[]),
    shape(
        "env",
        Transparent,
        &["-u", "--unset", "-C", "--chdir"],
        0,
        &["-C", "--chdir"],
    ),
    shape("exec", Transparent, &["-a"], 0, &["-a"]),
    shape("fakeroot", Other, &["-l", "-i", "-s", "-b"], 0, &[]),
    shape("firejail", Other, &[], 0, &[]),
    shape("flock", Other, &["-w", "--wait", "--timeout", "-E"], 1, &[]),
    shape("gdb", Other, &[], 0, &[]),
    shape(
        "ionice",
        Transparent,
        &["-c", "-n", "--class", "--classdata"],
        0,
        &["-p", "--pid", "-P", "-u"],
    ),
    shape(
        "ltrace",
        Other,
        &["-o", "-e", "-p", "-u", "-s", "-n"],
        0,
        &[],
    ),
    shape("nice", Transparent, &["-n", "--adjustment"], 0, &[]),
    shape("nohup", Transparent, &[], 0, &[]),
    shape("nsenter", Other, &["-t", "--target", "-S", "-G"], 0, &[]),
    shape(
        "parallel",
        AddsArguments,
        &["-j", "--jobs", "-I", "-n", "-N", "-L", "-a", "--arg-file"],
        0,
        &[],
    ),
    shape("proxychains", Other, &["-f"], 0, &[]),
    shape("runuser", Other, &["-u", "-g", "-G"], 0, &[]),
    shape("setsid", Transparent, &[], 0, &[]),
    shape(
        "stdbuf",
        Transparent,
        &["-i", "-o", "-e", "--input", "--output", "--error"],
        0,
        &[],
    ),
    shape(
        "strace",
        Other,
        &[
            "-o", "-e", "-p", "-u", "-s", "-E", "-P", "-S", "-I", "-O", "-a", "-b", "-X",
        ],
        0,
        &[],
    ),
    shape("sudo", Other, SUDO_VALUED, 0, &[]),
    shape(
        "systemd-run",
        Other,
        &["-p", "-u", "-H", "-M", "-E", "--unit", "--property"],
        0,
        &[],
    ),
    shape("taskset", Transparent, &[], 1, &["-p", "--pid"]),
    shape(
        "time",
        Transparent,
        &["-f", "--format", "-o", "--output"],
        0,
        &["-o", "--output", "-a", "--append"],
    ),
    shape(
        "timeout",
        Transparent,
        &["-k", "--kill-after", "-s", "--signal"],
        1,
        &[],
    ),
    shape("torsocks", Other, &[], 0, &[]),
    shape("toybox", Transparent, &[], 0, &[]),
    shape("unbuffer", Transparent, &[], 0, &[]),
    shape(
        "unshare",
        Other,
        &["-S", "-G", "-R", "-w", "--root", "--wd"],
        0,
        &[],
    ),
    shape(
        "xargs",
        AddsArguments,
        XARGS_VALUED,
        0,
        &["-a", "--arg-file", "-o", "--open-tty"],
    ),
];

const SUDO_VALUED: &[&str] = &[
    "-u",
    "--user",
    "-g",
    "--group",
    "-h",
    "--host",
    "-p",
    "--prompt",
    "-C",
    "--close-from",
    "-r",
    "--role",
    "-t",
    "--type",
    "-T",
    "--command-timeout",
    "-U",
    "--other-user",
    "-D",
    "--chdir",
    "-R",
    "--chroot",
];
const XARGS_VALUED: &[&str] = &[
    "-a",
    "--arg-file",
    "-d",
    "--delimiter",
    "-E",
    "-I",
    "-L",
    "--max-lines",
    "-n",
    "--max-args",
    "-P",
    "--max-procs",
    "-s",
    "--max-chars",
    "--process-slot-var",
    "-J",
    "-R",
    "-S",
];

/// The shells; the first of them speak the language that is analysed here.
const SHELLS: [&str; 12] = [
    "bash", "sh", "dash", "rbash", "ash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh", "pwsh",
];
const SPOKEN: usize = 5;

/// Reports whether the program is a shell.
pub(crate) fn is_shell(program: &str) -> bool {
    SHELLS.contains(&program)
}

/// Reports whether the program runs others.
pub(crate) fn is_wrapper(program: &str) -> bool {
    is_shell(program)
        || SHAPES
            .binary_search_by(|shape| shape.name.cmp(program))
            .is_ok()
        || matches!(
            program,
            "eval" | "watch" | "ssh" | "su" | "script" | "trap" | "source" | "." | "entr"
        )
}

/// Returns what a command runs beside itself, where it runs something.
pub(crate) fn unwrap(program: &str, words: &[ScriptWord<'_>]) -> Option<Wrapper> {
    if let Ok(index) = SHAPES.binary_search_by(|shape| shape.name.cmp(program)) {
        return unwrap_by_spec(&SHAPES[index], words);
    }
    match program {
        "eval" => Some(joined_wrapper(&words[1..], Transparent)),
        "trap" => Some(trap(&words[1..])),
        "source" | "." => reads_input(words),
        "watch" => Some(watch(words)),
        "ssh" => Some(ssh(words)),
        "su" | "script" => Some(with_command_option(words)),
        _ if is_shell(program) => Some(shell(program, words)),
        _ => None,
    }
}

fn unwrap_by_spec(shape: &WrapperSpec, words: &[ScriptWord<'_>]) -> Option<Wrapper> {
    let asks = |word: &ScriptWord<'_>| word.text.starts_with("-v") || word.text == "-V";
    if shape.name == "command" && words.get(1).is_some_and(asks) {
        return None;
    }
    let mut manner = shape.effect;
    let mut operands = shape.operands;
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let text = &*word.text;
        let takes_assignments = matches!(shape.name, "env" | "sudo" | "doas" | "systemd-run");
        if word.is_dynamic && !is_assignment(text) {
            let why = "the program that it runs is not known before it runs";
            return Some(Wrapper {
                inner: WrappedCommand::Unknown(why),
                effect: manner,
            });
        }
        if text == "--" {
            at += 1;
            continue;
        }
        if text.starts_with('-') && text.len() > 1 || text == "-" && shape.name == "env" {
            let name = text.split_once('=').map_or(text, |(name, _)| name);
            let splits = matches!(name, "--split-string" | "-vS") || text.starts_with("-S");
            if shape.name == "env" && splits {
                return Some(split_string(words, at));
            }
            if is_option(name, shape.effect_options) {
                manner = Other;
            }
            at += 1;
            if shape.option(text) == WrapperOption::TakesNext {
                at += 1;
            }
            continue;
        }
        if takes_assignments && is_assignment(text) {
            let name = text.split_once('=').map_or(text, |(name, _)| name);
            if !crate::environment::is_harmless(name) {
                manner = Other;
            }
            at += 1;
            continue;
        }
        if operands > 0 {
            operands -= 1;
            at += 1;
            continue;
        }
        return Some(Wrapper {
            inner: WrappedCommand::Command(at),
            effect: manner,
        });
    }
    alone(shape, words, manner)
}

/// A wrapper without a command.
fn alone(shape: &WrapperSpec, words: &[ScriptWord<'_>], manner: WrapperEffect) -> Option<Wrapper> {
    let manner = match shape.name {
        // Alone it prints the environment, and judged by that.
        "env" if words.len() == 1 => return None,
        "xargs" if words.len() == 1 => Transparent,
        _ if manner == Transparent => Transparent,
        _ => Other,
    };
    Some(Wrapper {
        inner: WrappedCommand::Nothing,
        effect: manner,
    })
}

fn is_option(name: &str, options: &[&str]) -> bool {
    options.iter().any(|option| {
        let is_short = option.len() == 2 && !name.starts_with("--") && name.starts_with(option);
        is_short || *option == name
    })
}

/// Reports whether a word is `NAME=value`.
pub(crate) fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        let mut bytes = name.bytes();
        bytes
            .next()
            .is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
            && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

/// `trap 'text' EXIT`
fn trap(arguments: &[ScriptWord<'_>]) -> Wrapper {
    let is_end = arguments.first().is_some_and(|word| word.text == "--");
    match &arguments[usize::from(is_end)..] {
        [word, _, ..] if is_end || !word.text.starts_with('-') => script(word, Other),
        _ => Wrapper {
            inner: WrappedCommand::Nothing,
            effect: Other,
        },
    }
}

/// `source /dev/stdin`
fn reads_input(words: &[ScriptWord<'_>]) -> Option<Wrapper> {
    words[1..]
        .iter()
        .any(|word| is_input(&word.text))
        .then_some(Wrapper {
            inner: WrappedCommand::Input,
            effect: Other,
        })
}

/// Reports whether a path names the standard input.
fn is_input(path: &str) -> bool {
    matches!(path, "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}

fn script(word: &ScriptWord<'_>, manner: WrapperEffect) -> Wrapper {
    let inner = if word.is_dynamic {
        WrappedCommand::Unknown("the text that it runs is not known before it runs")
    } else {
        WrappedCommand::Script(word.text.clone().into_owned())
    };
    Wrapper {
        inner,
        effect: manner,
    }
}

/// Words that are joined by blanks and read as a command line.
fn joined_wrapper(words: &[ScriptWord<'_>], manner: WrapperEffect) -> Wrapper {
    if words.iter().any(|word| word.is_dynamic || word.is_glob) {
        let why = "the text that it runs is not known before it runs";
        return Wrapper {
            inner: WrappedCommand::Unknown(why),
            effect: manner,
        };
    }
    if words.is_empty() {
        return Wrapper {
            inner: WrappedCommand::Nothing,
            effect: manner,
        };
    }
    let texts: Vec<&str> = words.iter().map(|word| &*word.text).collect();
    Wrapper {
        inner: WrappedCommand::Script(texts.join(" ")),
        effect: manner,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(SHAPES.is_sorted_by_key(|shape| shape.name));
    }
}
