//! Wrappers: programs that run another command.

mod command_texts;
mod options;

use self::command_texts::{shell, split_string, ssh, watch, with_command_option};
use self::options::WrapperOption;
pub(crate) use self::options::may_begin;
use crate::name_list::{NameList, names};
use crate::script::ScriptWord;

/// The command that a wrapper runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WrappedCommand {
    /// The wrapper runs no other command.
    Nothing,
    /// The command that begins at this word.
    Command(usize),
    /// A shell script.
    Script(String),
    /// A shell script from the standard input.
    Input,
    /// An unknown command, with the reason.
    Unknown(&'static str),
}

/// The effect of a wrapper on its inner command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WrapperEffect {
    /// The wrapper has no effect of its own.
    Transparent,
    /// The inner command receives further arguments that are not in the text.
    AddsArguments,
    /// The inner command runs with other rights, elsewhere, or with further effects: a rule about the inner command
    /// does not allow the wrapped command.
    Other,
}

/// A wrapper with its inner command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wrapper {
    pub(crate) inner: WrappedCommand,
    pub(crate) effect: WrapperEffect,
}

impl Wrapper {
    const fn new(inner: WrappedCommand, effect: WrapperEffect) -> Self {
        Self { inner, effect }
    }

    /// Creates a wrapper that runs no other command, and has effects beyond its arguments.
    const fn nothing() -> Self {
        Self::new(WrappedCommand::Nothing, Other)
    }

    /// Creates a wrapper that runs an unknown text.
    const fn unknown_text(effect: WrapperEffect) -> Self {
        let why = "the text that it runs is not known before it runs";
        Self::new(WrappedCommand::Unknown(why), effect)
    }
}

/// The specification of a simple wrapper, which determines the position of the inner command.
struct WrapperSpec {
    name: &'static str,
    effect: WrapperEffect,
    /// The number of operands before the inner command.
    operands: usize,
    /// The options whose value is the next word.
    value_options: NameList,
    /// The options that make the wrapper more than a plain one: they write, or change what runs.
    effect_options: &'static str,
    /// The letters and the long names of the options without a value.
    letters: &'static str,
    flags: NameList,
}

const fn wrapper(name: &'static str, effect: WrapperEffect) -> WrapperSpec {
    WrapperSpec {
        name,
        effect,
        operands: 0,
        value_options: names!(""),
        effect_options: "",
        letters: "",
        flags: names!(""),
    }
}

impl WrapperSpec {
    const fn operands(mut self, count: usize) -> Self {
        self.operands = count;
        self
    }

    const fn values(mut self, options: &'static str) -> Self {
        self.value_options = NameList::new(options);
        self
    }

    const fn effects(mut self, options: &'static str) -> Self {
        self.effect_options = options;
        self
    }

    const fn flags(mut self, letters: &'static str, long: &'static str) -> Self {
        self.letters = letters;
        self.flags = NameList::new(long);
        self
    }

    fn find(program: &str) -> Option<&'static Self> {
        SPECS.iter().find(|spec| spec.name == program)
    }
}

use WrapperEffect::{AddsArguments, Other, Transparent};

static SPECS: &[WrapperSpec] = &[
    wrapper("builtin", Transparent),
    wrapper("busybox", Transparent).effects("--install"),
    wrapper("caffeinate", Transparent).values("-t -w"),
    wrapper("chroot", Other)
        .operands(1)
        .values("--userspec --groups")
        .flags("", "--skip-chdir"),
    wrapper("chrt", Transparent)
        .operands(1)
        .values("-T -P -D")
        .effects("-p --pid")
        .flags("abfimorRv", "--batch --fifo --idle --other --rr"),
    wrapper("command", Transparent).flags("pvV", ""),
    wrapper("coproc", Transparent),
    wrapper("doas", Other).values("-u -C").flags("Lns", ""),
    wrapper("env", Transparent)
        .values("-u --unset -C --chdir")
        .effects("-C --chdir")
        .flags(
            "0iv",
            "--ignore-environment --null --debug --help --version",
        ),
    wrapper("exec", Transparent)
        .values("-a")
        .effects("-a")
        .flags("cl", ""),
    wrapper("fakeroot", Other).values("-l -i -s -b"),
    wrapper("firejail", Other),
    wrapper("flock", Other)
        .operands(1)
        .values("-w --wait --timeout -E")
        .flags(
            "sxeunoFv",
            "--shared --exclusive --unlock --nonblock --nb --close --no-fork --verbose",
        ),
    wrapper("gdb", Other),
    wrapper("ionice", Transparent)
        .values("-c -n --class --classdata")
        .effects("-p --pid -P -u")
        .flags("t", "--ignore"),
    wrapper("ltrace", Other).values("-o -e -p -u -s -n"),
    wrapper("nice", Transparent).values("-n --adjustment"),
    wrapper("nohup", Transparent),
    wrapper("nsenter", Other).values("-t --target -S -G"),
    wrapper("parallel", AddsArguments)
        .values("-j --jobs -I -n -N -L -a --arg-file")
        .flags("0kqtuvX", "--keep-order --null --bar --dry-run --halt"),
    wrapper("proxychains", Other).values("-f"),
    wrapper("runuser", Other).values("-u -g -G"),
    wrapper("setsid", Transparent).flags("cfw", "--ctty --fork --wait"),
    wrapper("stdbuf", Transparent).values("-i -o -e --input --output --error"),
    wrapper("strace", Other)
        .values("-o -e -p -u -s -E -P -S -I -O -a -b -X")
        .flags("cCdDfFhiknqrtTvVwxyzZ", "--follow-forks"),
    wrapper("sudo", Other)
        .values(
            "-u --user -g --group -h --host -p --prompt -C --close-from -r --role -t --type -T \
             --command-timeout -U --other-user -D --chdir -R --chroot",
        )
        .flags(
            "AbBEeHiKklNnPSsVv",
            "--preserve-env --non-interactive --login --shell --stdin --background --set-home",
        ),
    wrapper("systemd-run", Other)
        .values("-p -u -H -M -E --unit --property")
        .flags("dGPqrtS", "--user --scope --pty --quiet --wait --collect"),
    wrapper("taskset", Transparent)
        .operands(1)
        .effects("-p --pid")
        .flags("acp", "--all-tasks --cpu-list --pid"),
    wrapper("time", Transparent)
        .values("-f --format -o --output")
        .effects("-o --output -a --append")
        .flags("apqvV", "--append --portability --quiet --verbose"),
    wrapper("timeout", Transparent)
        .operands(1)
        .values("-k --kill-after -s --signal")
        .flags(
            "fpv",
            "--foreground --preserve-status --verbose --help --version",
        ),
    wrapper("torsocks", Other),
    wrapper("toybox", Transparent),
    wrapper("unbuffer", Transparent),
    wrapper("unshare", Other).values("-S -G -R -w --root --wd"),
    wrapper("xargs", AddsArguments)
        .values(
            "-a --arg-file -d --delimiter -E -I -L --max-lines -n --max-args -P --max-procs -s \
             --max-chars --process-slot-var -J -R -S",
        )
        .effects("-a --arg-file -o --open-tty")
        .flags(
            "0oprtx",
            "--null --open-tty --interactive --no-run-if-empty --verbose --exit --show-limits",
        ),
];

/// The shells; the first of them use the language that is analysed here.
const SHELLS: [&str; 12] = [
    "bash", "sh", "dash", "rbash", "ash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh", "pwsh",
];
const SPOKEN: usize = 5;

/// Reports whether the program is a shell.
pub(crate) fn is_shell(program: &str) -> bool {
    SHELLS.contains(&program)
}

/// Reports whether the program runs other programs.
pub(crate) fn is_wrapper(program: &str) -> bool {
    is_shell(program)
        || WrapperSpec::find(program).is_some()
        || names!("eval watch ssh su script trap source . entr").has(program)
}

/// Returns the inner command of a wrapper; `None` if the program runs no other command.
pub(crate) fn unwrap(program: &str, words: &[ScriptWord<'_>]) -> Option<Wrapper> {
    if let Some(spec) = WrapperSpec::find(program) {
        return spec.unwrap(words);
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

impl WrapperSpec {
    fn unwrap(&self, words: &[ScriptWord<'_>]) -> Option<Wrapper> {
        let asks = |word: &ScriptWord<'_>| word.text.starts_with("-v") || word.text == "-V";
        if self.name == "command" && words.get(1).is_some_and(asks) {
            return None;
        }
        let takes_assignments = matches!(self.name, "env" | "sudo" | "doas" | "systemd-run");
        let mut effect = self.effect;
        let mut operands = self.operands;
        let mut at = 1;
        while let Some(word) = words.get(at) {
            let text = &*word.text;
            let name = text.split_once('=').map_or(text, |(name, _)| name);
            if word.is_dynamic && !is_assignment(text) {
                let why = "the program that it runs is not known before it runs";
                return Some(Wrapper::new(WrappedCommand::Unknown(why), effect));
            }
            let stands_as_option = text.starts_with('-') && text.len() > 1 && text != "--"
                || text == "-" && self.name == "env";
            if stands_as_option {
                let splits = matches!(name, "--split-string" | "-vS") || text.starts_with("-S");
                if self.name == "env" && splits {
                    return Some(split_string(words, at));
                }
                if is_option(name, self.effect_options) {
                    effect = Other;
                }
                at += usize::from(self.option(text) == WrapperOption::TakesNext);
            } else if takes_assignments && is_assignment(text) {
                if !crate::environment::is_harmless(name) {
                    effect = Other;
                }
            } else if text != "--" {
                if operands == 0 {
                    return Some(Wrapper::new(WrappedCommand::Command(at), effect));
                }
                operands -= 1;
            }
            at += 1;
        }
        self.alone(words, effect)
    }

    /// Returns a wrapper without an inner command.
    fn alone(&self, words: &[ScriptWord<'_>], effect: WrapperEffect) -> Option<Wrapper> {
        let effect = match self.name {
            // `env` alone prints the environment, and is judged as a program that does so.
            "env" if words.len() == 1 => return None,
            "xargs" if words.len() == 1 => Transparent,
            _ if effect == Transparent => Transparent,
            _ => Other,
        };
        Some(Wrapper::new(WrappedCommand::Nothing, effect))
    }
}

fn is_option(name: &str, options: &str) -> bool {
    options.split_ascii_whitespace().any(|option| {
        let is_short = option.len() == 2 && !name.starts_with("--") && name.starts_with(option);
        is_short || option == name
    })
}

/// Reports whether a word has the form `NAME=value`.
pub(crate) fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        let mut bytes = name.bytes();
        bytes
            .next()
            .is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
            && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

/// Unwraps `trap 'text' EXIT`.
fn trap(arguments: &[ScriptWord<'_>]) -> Wrapper {
    let is_end = arguments.first().is_some_and(|word| word.text == "--");
    match &arguments[usize::from(is_end)..] {
        [word, _, ..] if is_end || !word.text.starts_with('-') => script(word, Other),
        _ => Wrapper::nothing(),
    }
}

/// Unwraps `source /dev/stdin`.
fn reads_input(words: &[ScriptWord<'_>]) -> Option<Wrapper> {
    let reads = words[1..].iter().any(|word| is_input(&word.text));
    reads.then_some(Wrapper::new(WrappedCommand::Input, Other))
}

/// Reports whether a path names the standard input.
fn is_input(path: &str) -> bool {
    matches!(path, "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}

fn script(word: &ScriptWord<'_>, effect: WrapperEffect) -> Wrapper {
    if word.is_dynamic {
        return Wrapper::unknown_text(effect);
    }
    Wrapper::new(WrappedCommand::Script(word.text.to_string()), effect)
}

/// Unwraps words that are joined by blanks and parsed as a command line.
fn joined_wrapper(words: &[ScriptWord<'_>], effect: WrapperEffect) -> Wrapper {
    if words.iter().any(|word| word.is_dynamic || word.is_glob) {
        return Wrapper::unknown_text(effect);
    }
    if words.is_empty() {
        return Wrapper::new(WrappedCommand::Nothing, effect);
    }
    let texts: Vec<&str> = words.iter().map(|word| &*word.text).collect();
    Wrapper::new(WrappedCommand::Script(texts.join(" ")), effect)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_wrapper_is_listed_twice() {
        crate::name_list::assert_disjoint(SPECS.iter().map(|spec| spec.name));
    }
}
