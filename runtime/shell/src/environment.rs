//! Environment variables, and their effects on the commands that inherit them.

use crate::name_list::NameList;

/// Variables that only affect the form or the amount of output.
const HARMLESS: NameList = NameList::new(
    "CI CLICOLOR CLICOLOR_FORCE COLUMNS DEBIAN_FRONTEND FORCE_COLOR GO111MODULE GOARCH GOOS LANG \
    LANGUAGE LINES NODE_ENV NO_COLOR PYTHONDONTWRITEBYTECODE PYTHONIOENCODING PYTHONUNBUFFERED \
    PYTHONUTF8 RAILS_ENV RUST_BACKTRACE RUST_LOG TERM TZ",
);

/// Reports whether setting the variable cannot change the effect of a command.
pub(super) fn is_harmless(name: &str) -> bool {
    HARMLESS.has(name)
        || name.starts_with("LC_") && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
}

/// The effect of a variable on the commands that inherit it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum VariableEffect {
    /// The variable only affects the form of output.
    Harmless,
    /// No program is known to do something else because of the variable. Rules about the command cover it.
    Neutral,
    /// The variable names programs, libraries or options: no rule about the command covers it.
    Steers,
}

/// Names of variables that affect loaders, interpreters and programs.
const STEERING: NameList = NameList::new(
    "ANT_ARGS AR AS BASHOPTS BROWSER CC CDPATH COMSPEC CPATH CPP CXX CMAKE_TOOLCHAIN_FILE DISPLAY \
    EDITOR ENV FC FCEDIT FPATH GLOBIGNORE GNUPGHOME HISTFILE HOME HOSTALIASES IFS INPUTRC \
    KUBECONFIG LD LESSOPEN LESSCLOSE LESS LOCPATH LUA_INIT MAIL MAKE MANPAGER MORE NLSPATH OPTIND \
    OSTYPE PAGER PATH POSIXLY_CORRECT PROMPT_COMMAND PS0 PS1 PS2 PS4 PWD OLDPWD REPLY RUBYLIB \
    RUBYOPT SHELL SHELLOPTS TAPE TERMCAP TERMINFO TMPDIR VISUAL WGETRC CURL_HOME histchars",
);
/// Prefixes of such names.
const STEERING_HEADS: NameList = NameList::new(
    "ANSIBLE_ AWS_ BASH_ BUNDLE_ BUN_ CARGO_ COMPOSER_ DENO_ DOCKER_ DYLD_ GCC_ GCONV_ GEM_ GH_ \
    GIT_ GLIBC_ GO GRADLE_ JAVA_ JDK_ LD_ LESS LUA_ MAKE MALLOC_ MAVEN_ NODE_ NPM_ npm_ PERL PIP_ \
    PYTHON RUBY RUSTC RUSTDOC SSH_ UV_ XDG_",
);
/// Suffixes of such names.
const STEERING_TAILS: NameList = NameList::new(
    "ARGS CMD COMMAND CONFIG EDITOR EXEC FLAGS HOME HOOK INIT LIBRARY LOADER OPTIONS OPTS PAGER \
    PATH PLUGINS PRELOAD PROGRAM PROXY _proxy SHELL STARTUP WRAPPER",
);
/// Exceptions: variables that do not affect which programs run.
const PLAIN: NameList = NameList::new(
    "CARGO_INCREMENTAL CARGO_NET_OFFLINE CARGO_TARGET_DIR CARGO_TERM_COLOR CARGO_TERM_VERBOSE \
    GIT_OPTIONAL_LOCKS GIT_TERMINAL_PROMPT NODE_DEBUG PYTHONHASHSEED",
);

/// Returns the effect of a variable on the commands that inherit it.
pub(super) fn classify_variable(name: &str) -> VariableEffect {
    if is_harmless(name) {
        return VariableEffect::Harmless;
    }
    let steers = STEERING.has(name)
        || STEERING_HEADS.iter().any(|head| name.starts_with(head))
        || STEERING_TAILS.iter().any(|tail| name.ends_with(tail));
    if steers && !PLAIN.has(name) {
        VariableEffect::Steers
    } else {
        VariableEffect::Neutral
    }
}

/// Reports whether a variable that names a program is set to one that only displays its input.
pub(super) fn is_plain_pager(name: &str, value: &str) -> bool {
    matches!(name, "PAGER" | "GIT_PAGER" | "MANPAGER" | "GH_PAGER") && matches!(value, "cat" | "")
}

/// Upper-case names that scripts use for their own variables, and that no read-only program reads.
const OWN: NameList = NameList::new(
    "BASE BRANCH COUNT DEST DIR DIRS DST FILE FILES FOLDER INPUT LINE NAME NUM OUT OUTPUT PATTERN \
    REPO RESULT ROOT SRC TOTAL URL VERSION",
);

/// Reports whether setting the variable alone, for later commands of the same text, is harmless: the name is one of the
/// script's own variables, which no program reads.
pub(super) fn is_local(name: &str) -> bool {
    let is_own = name
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    is_harmless(name)
        || is_own
            && name != "histchars"
            && !name.ends_with("_proxy")
            && !name.starts_with("npm_")
            && name.len() < 64
        || is_short(name) && classify_variable(name) != VariableEffect::Steers
        || OWN.has(name)
}

/// Reports whether a name such as `F` or `X1` is too short to have a meaning to a program.
fn is_short(name: &str) -> bool {
    name.len() <= 2 && name.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// Variables that bash sets, refuses to set, or evaluates when they are set.
const MANAGED: NameList = NameList::new(
    "BASH BASHOPTS BASHPID COMP_CWORD COMP_KEY COMP_LINE COMP_POINT COMP_TYPE COMP_WORDS COPROC \
    DIRSTACK EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME FUNCNEST GROUPS HISTCMD HOSTNAME HOSTTYPE \
    LINENO MACHTYPE MAPFILE OLDPWD OPTARG OPTERR OPTIND PIPESTATUS PPID PWD RANDOM \
    READLINE_ARGUMENT READLINE_LINE READLINE_MARK READLINE_POINT REPLY SECONDS SHELLOPTS SHLVL \
    SRANDOM TMOUT UID",
);

/// Reports whether bash itself sets the variable, or does more than store an assigned value.
pub(super) fn is_managed_by_bash(name: &str) -> bool {
    MANAGED.has(name) || name.starts_with("BASH_")
}

/// Reports whether the variable may be set, but bash changes it afterwards, so that its value is never known.
pub(super) fn is_overwritten_by_bash(name: &str) -> bool {
    matches!(name, "_" | "COLUMNS" | "LINES") || is_managed_by_bash(name)
}

/// Parts of names that indicate a secret.
const SECRET_PARTS: NameList =
    NameList::new("TOKEN SECRET PASSWORD PASSWD API_KEY APIKEY PRIVATE_KEY ACCESS_KEY CREDENTIAL");

/// Reports whether the name of a variable indicates a secret.
pub(super) fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    SECRET_PARTS.iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_programs_is_not_harmless() {
        for name in [
            "PATH",
            "LD_PRELOAD",
            "GIT_PAGER",
            "PAGER",
            "IFS",
            "BASH_ENV",
            "GIT_SSH_COMMAND",
            "NODE_OPTIONS",
        ] {
            assert!(!is_harmless(name) && !is_local(name), "{name}");
        }
        assert!(is_harmless("RUST_LOG") && is_harmless("LC_ALL") && is_local("file"));
    }
}
