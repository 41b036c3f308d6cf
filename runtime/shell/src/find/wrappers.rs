//! Programs that run another: what they run is seen through them.

mod options;
mod texts;

use self::options::WrapperOption;
pub(crate) use self::options::may_begin;
use self::texts::{shell, split_string, ssh, watch, with_command_option};
use crate::script::Word;

/// What a wrapper runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Inner {
    /// Nothing but itself.
    Nothing,
    /// The command that begins at this word.
    Command(usize),
    /// A text in the language of the shell.
    Script(String),
    /// What it reads from its input, in the language of the shell.
    Input,
    /// Something that cannot be told from here.
    Unknown(&'static str),
}

/// How a wrapper changes what it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Not at all: what the inner command does is all that happens.
    Plain,
    /// The inner command gets further arguments, which nobody has seen.
    Arguments,
    /// With another authority, elsewhere, or with further effects: a rule about the inner command does not allow it.
    Other,
}

/// A wrapper, and what it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wrapper {
    pub(crate) inner: Inner,
    pub(crate) manner: Manner,
}

/// How to find the inner command of a wrapper of the simplest kind.
struct Shape {
    name: &'static str,
    manner: Manner,
    /// The options whose value is a word of its own.
    valued: &'static [&'static str],
    /// How many operands come before the inner command.
    operands: usize,
    /// The options that make it something else than a plain wrapper: they write, or they change what runs.
    unusual: &'static [&'static str],
}

const fn shape(
    name: &'static str,
    manner: Manner,
    valued: &'static [&'static str],
    operands: usize,
    unusual: &'static [&'static str],
) -> Shape {
    Shape {
        name,
        manner,
        valued,
        operands,
        unusual,
    }
}

use Manner::{Arguments, Other, Plain};

/// Sorted by name.
static SHAPES: &[Shape] = &[
    shape("builtin", Plain, &[], 0, &[]),
    shape("busybox", Plain, &[], 0, &["--install"]),
    shape("caffeinate", Plain, &["-t", "-w"], 0, &[]),
    shape("chroot", Other, &["--userspec", "--groups"], 1, &[]),
    shape("chrt", Plain, &["-T", "-P", "-D"], 1, &["-p", "--pid"]),
    shape("command", Plain, &[], 0, &[]),
    shape("coproc", Plain, &[], 0, &[]),
    shape("doas", Other, &["-u", "-C"], 0, &[]),
    shape(
        "env",
        Plain,
        &["-u", "--unset", "-C", "--chdir"],
        0,
        &["-C", "--chdir"],
    ),
    shape("exec", Plain, &["-a"], 0, &["-a"]),
    shape("fakeroot", Other, &["-l", "-i", "-s", "-b"], 0, &[]),
    shape("firejail", Other, &[], 0, &[]),
    shape("flock", Other, &["-w", "--wait", "--timeout", "-E"], 1, &[]),
    shape("gdb", Other, &[], 0, &[]),
    shape(
        "ionice",
        Plain,
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
    shape("nice", Plain, &["-n", "--adjustment"], 0, &[]),
    shape("nohup", Plain, &[], 0, &[]),
    shape("nsenter", Other, &["-t", "--target", "-S", "-G"], 0, &[]),
    shape(
        "parallel",
        Arguments,
        &["-j", "--jobs", "-I", "-n", "-N", "-L", "-a", "--arg-file"],
        0,
        &[],
    ),
    shape("proxychains", Other, &["-f"], 0, &[]),
    shape("runuser", Other, &["-u", "-g", "-G"], 0, &[]),
    shape("setsid", Plain, &[], 0, &[]),
    shape(
        "stdbuf",
        Plain,
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
    shape("taskset", Plain, &[], 1, &["-p", "--pid"]),
    shape(
        "time",
        Plain,
        &["-f", "--format", "-o", "--output"],
        0,
        &["-o", "--output", "-a", "--append"],
    ),
    shape(
        "timeout",
        Plain,
        &["-k", "--kill-after", "-s", "--signal"],
        1,
        &[],
    ),
    shape("torsocks", Other, &[], 0, &[]),
    shape("toybox", Plain, &[], 0, &[]),
    shape("unbuffer", Plain, &[], 0, &[]),
    shape(
        "unshare",
        Other,
        &["-S", "-G", "-R", "-w", "--root", "--wd"],
        0,
        &[],
    ),
    shape(
        "xargs",
        Arguments,
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

/// Says what a command runs beside itself, where it runs something.
pub(crate) fn unwrap(program: &str, words: &[Word<'_>]) -> Option<Wrapper> {
    if let Ok(index) = SHAPES.binary_search_by(|shape| shape.name.cmp(program)) {
        return shaped(&SHAPES[index], words);
    }
    match program {
        "eval" => Some(joined(&words[1..], Plain)),
        "trap" => Some(trap(&words[1..])),
        "source" | "." => reads_input(words),
        "watch" => Some(watch(words)),
        "ssh" => Some(ssh(words)),
        "su" | "script" => Some(with_command_option(words)),
        _ if is_shell(program) => Some(shell(program, words)),
        _ => None,
    }
}

fn shaped(shape: &Shape, words: &[Word<'_>]) -> Option<Wrapper> {
    let asks = |word: &Word<'_>| word.text.starts_with("-v") || word.text == "-V";
    if shape.name == "command" && words.get(1).is_some_and(asks) {
        return None;
    }
    let mut manner = shape.manner;
    let mut operands = shape.operands;
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let text = &*word.text;
        let takes_assignments = matches!(shape.name, "env" | "sudo" | "doas" | "systemd-run");
        if word.is_dynamic && !is_assignment(text) {
            let why = "the program that it runs is not known before it runs";
            return Some(Wrapper {
                inner: Inner::Unknown(why),
                manner,
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
            if is_option(name, shape.unusual) {
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
            inner: Inner::Command(at),
            manner,
        });
    }
    alone(shape, words, manner)
}

/// A wrapper without a command.
fn alone(shape: &Shape, words: &[Word<'_>], manner: Manner) -> Option<Wrapper> {
    let manner = match shape.name {
        // Alone it prints the environment, and judged by that.
        "env" if words.len() == 1 => return None,
        "xargs" if words.len() == 1 => Plain,
        _ if manner == Plain => Plain,
        _ => Other,
    };
    Some(Wrapper {
        inner: Inner::Nothing,
        manner,
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
fn trap(arguments: &[Word<'_>]) -> Wrapper {
    let is_end = arguments.first().is_some_and(|word| word.text == "--");
    match &arguments[usize::from(is_end)..] {
        [word, _, ..] if is_end || !word.text.starts_with('-') => script(word, Other),
        _ => Wrapper {
            inner: Inner::Nothing,
            manner: Other,
        },
    }
}

/// `source /dev/stdin`
fn reads_input(words: &[Word<'_>]) -> Option<Wrapper> {
    words[1..]
        .iter()
        .any(|word| is_input(&word.text))
        .then_some(Wrapper {
            inner: Inner::Input,
            manner: Other,
        })
}

/// Reports whether a path names the standard input.
fn is_input(path: &str) -> bool {
    matches!(path, "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}

fn script(word: &Word<'_>, manner: Manner) -> Wrapper {
    let inner = if word.is_dynamic {
        Inner::Unknown("the text that it runs is not known before it runs")
    } else {
        Inner::Script(word.text.clone().into_owned())
    };
    Wrapper { inner, manner }
}

/// Words that are joined by blanks and read as a command line.
fn joined(words: &[Word<'_>], manner: Manner) -> Wrapper {
    if words.iter().any(|word| word.is_dynamic || word.is_glob) {
        let why = "the text that it runs is not known before it runs";
        return Wrapper {
            inner: Inner::Unknown(why),
            manner,
        };
    }
    if words.is_empty() {
        return Wrapper {
            inner: Inner::Nothing,
            manner,
        };
    }
    let texts: Vec<&str> = words.iter().map(|word| &*word.text).collect();
    Wrapper {
        inner: Inner::Script(texts.join(" ")),
        manner,
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
