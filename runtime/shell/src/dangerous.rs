//! Dangerous commands, which a user must approve, or which no mode runs, whatever the rules are.

mod arguments;
mod danger;
mod devices;
mod fatal;
mod removal;
mod rules;
mod sql;

use super::git;
use super::script::ScriptWord;
use crate::name_list::NameList;

use arguments::Arguments;
use danger::{danger, grave};

pub(super) use danger::{Danger, DangerLevel, fatal};
pub(super) use devices::written_place;
pub(super) use removal::Removal;
pub(super) use rules::changes_rules;

/// Returns the danger of a command, based on its program and arguments.
pub(super) fn find(
    program: &str,
    words: &[ScriptWord<'_>],
    is_privileged: bool,
    home: Option<&str>,
) -> Option<Danger> {
    let arguments = Arguments(words);
    fatal::find(program, &arguments, home)
        .or_else(|| by_program(program, &arguments, is_privileged, home))
        .or_else(|| devices::find(program, &arguments))
        .or_else(|| sql::find(program, &arguments))
}

/// Returns the danger of a command that, run in `folder`, removes files that no mode permits to remove.
pub(super) fn removal_in(
    folder: &str,
    program: &str,
    words: &[ScriptWord<'_>],
    home: Option<&str>,
) -> Option<Danger> {
    let joined = fatal::from_folder(folder, program, words)?;
    fatal::find(program, &Arguments(&joined), home)
}

fn by_program(
    program: &str,
    arguments: &Arguments<'_, '_>,
    is_privileged: bool,
    home: Option<&str>,
) -> Option<Danger> {
    match program {
        "rm" | "rmdir" | "unlink" | "shred" | "srm" => {
            removal::find(program, arguments, is_privileged, home)
        }
        "dd" => Some(danger("`dd` overwrites its output device or file")),
        "fdisk" | "sfdisk" | "cfdisk" | "gdisk" | "sgdisk" | "parted" | "format" | "mkswap"
        | "cryptsetup" | "blkdiscard" | "badblocks" => Some(danger("it changes a disk as a whole")),
        "wipefs" | "mkfs" => Some(grave("it makes a disk empty")),
        _ if program.starts_with("mkfs.") => Some(grave("it makes a disk empty")),
        "chmod" => permissions(arguments),
        "chown" | "chgrp" if arguments.has(&['R'], "--recursive") => {
            Some(danger("it changes the owner of a whole tree"))
        }
        "kill" | "killall" | "pkill" => kill(arguments),
        "shutdown" | "reboot" | "halt" | "poweroff" => Some(grave("it stops the machine")),
        "init" | "telinit" if matches!(arguments.first(), "0" | "1" | "6" | "s" | "S") => {
            Some(grave("it stops the machine"))
        }
        "systemctl" => systemctl(arguments),
        "setcap" => Some(grave("it gives a program capabilities of the kernel")),
        "insmod" | "rmmod" | "modprobe" | "kexec" => Some(danger("it changes the running kernel")),
        "sysctl"
            if arguments.has(&['w', 'p'], "--write")
                || arguments.texts().any(|text| text.contains('=')) =>
        {
            Some(danger("it changes the running kernel"))
        }
        "gpg" | "gpg2" => gpg(arguments),
        "passwd" | "chpasswd" | "usermod" | "useradd" | "userdel" | "groupadd" | "groupdel"
        | "visudo" | "adduser" | "deluser" => Some(danger("it changes who may log in")),
        "crontab" if arguments.has(&['r'], "") => Some(danger("it removes all scheduled jobs")),
        "iptables" | "ip6tables" | "ufw" | "nft" => Some(danger("it changes the firewall")),
        "chattr" | "mount" | "umount" | "swapoff" | "swapon" | "losetup"
            if arguments.texts().next().is_some() =>
        {
            Some(danger("it changes how the file system behaves"))
        }
        "docker" | "podman" => container(arguments),
        "git" => git(arguments),
        "security" if arguments.first().contains("password") => Some(danger("it shows a password")),
        "kubectl" if arguments.texts().any(is_cluster_secret) => {
            Some(danger("it reads or changes cluster secrets"))
        }
        _ => None,
    }
}

fn is_cluster_secret(text: &str) -> bool {
    let kinds = text.split('/').next().unwrap_or_default();
    kinds
        .split(',')
        .any(|kind| matches!(kind.split('.').next(), Some("secret" | "secrets")))
}

fn permissions(arguments: &Arguments<'_, '_>) -> Option<Danger> {
    let mode = arguments.operands().next().unwrap_or_default();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let digits = mode.trim_start_matches('0');
    let is_privileged =
        is_number(mode) && digits.len() == 4 && !matches!(digits.as_bytes()[0], b'0' | b'1');
    let grants = || {
        mode.split(',')
            .filter_map(|clause| clause.split_once(['+', '=']))
    };
    if is_privileged || grants().any(|(_, what)| what.contains('s')) {
        return Some(grave("it makes a program run as its owner"));
    }
    let opens = grants()
        .any(|(who, what)| (who.is_empty() || who.contains(['a', 'o'])) && what.contains('w'));
    let is_open = is_number(mode) && (digits == "777" || digits == "666" || digits == "1777");
    (is_open || opens).then(|| danger("it makes files writable by all users"))
}

fn kill(arguments: &Arguments<'_, '_>) -> Option<Danger> {
    let all: Vec<&str> = arguments.texts().collect();
    let names_it = |text: &str| {
        let name = text
            .trim_start_matches('-')
            .trim_start_matches("SIG")
            .trim_start_matches("sig");
        matches!(name, "9" | "KILL" | "kill") && text.starts_with('-')
            || matches!(
                text,
                "-s9" | "-sKILL" | "-n9" | "--signal=9" | "--signal=KILL" | "--signal=SIGKILL"
            )
    };
    let by_value = all.windows(2).any(|pair| {
        matches!(pair[0], "-s" | "-n" | "--signal")
            && matches!(pair[1], "9" | "KILL" | "SIGKILL" | "kill")
    });
    if all.iter().skip(1).any(|text| *text == "-1") {
        return Some(danger("it ends every process of the user"));
    }
    (by_value || all.iter().any(|text| names_it(text)))
        .then(|| danger("it kills processes without letting them shut down"))
}

fn systemctl(arguments: &Arguments<'_, '_>) -> Option<Danger> {
    const STOP_COMMANDS: NameList = NameList::new(
        "reboot poweroff halt kexec suspend hibernate emergency rescue default isolate soft-reboot",
    );
    let stops = arguments.texts().any(|text| STOP_COMMANDS.has(text));
    stops.then(|| grave("it stops the machine"))
}

fn gpg(arguments: &Arguments<'_, '_>) -> Option<Danger> {
    let has = |option: &str| arguments.texts().any(|text| text.starts_with(option));
    if has("--delete-secret") {
        return Some(grave("it destroys a secret key"));
    }
    has("--export-secret").then(|| danger("it shows a secret key"))
}

fn container(arguments: &Arguments<'_, '_>) -> Option<Danger> {
    let texts: Vec<&str> = arguments.texts().collect();
    let mounts = |name: &str, value: &str| {
        matches!(name, "-v" | "--volume" | "--mount")
            && (value.starts_with("/:")
                || value.contains("source=/,")
                || value.contains("docker.sock"))
    };
    let is_handed = |text: &str| {
        let named = text.split_once('=');
        text.starts_with("--privileged") || named.is_some_and(|(name, value)| mounts(name, value))
    };
    let hands_over = texts.iter().any(|text| is_handed(text))
        || texts.windows(2).any(|pair| mounts(pair[0], pair[1]));
    hands_over.then(|| danger("it gives a container the whole machine"))
}

fn git(arguments: &Arguments<'_, '_>) -> Option<Danger> {
    let push = git::push(arguments.0)?;
    if push.is_forced && push.is_protected {
        return Some(danger("it overwrites a branch that others build on"));
    }
    push.deletes
        .then(|| danger("it removes a branch of a remote"))
}

/// Programs whose output comes from the network, or decodes hidden text.
const SOURCES: [&str; 22] = [
    "curl", "wget", "fetch", "aria2c", "http", "https", "nc", "ncat", "netcat", "socat", "base64",
    "base32", "xxd", "openssl", "gunzip", "zcat", "bunzip2", "xzcat", "uudecode", "rev", "tr",
    "lynx",
];

/// Reports whether it is dangerous to run the output of these programs: the output comes from the network, or decodes
/// hidden text.
pub(super) fn runs_output_of<'p>(mut programs: impl Iterator<Item = &'p str>) -> Option<Danger> {
    programs
        .any(|program| SOURCES.contains(&program))
        .then(|| danger("it executes downloaded or decoded text without review"))
}

/// Programs that execute their input, without version suffixes.
const INTERPRETERS: NameList = NameList::new(
    "python pypy perl ruby node nodejs php lua deno bun tclsh osascript Rscript ghci guile sbcl \
    julia groovy scala swift expect psql mysql sqlite ipython irb pwsh",
);

/// Reports whether a program executes its input.
pub(super) fn interprets(program: &str) -> bool {
    INTERPRETERS.has(program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

/// Reports whether a text contains a fork bomb: a function that calls itself twice and in the background.
pub(super) fn is_fork_bomb(text: &str) -> bool {
    if !text.contains('(') {
        return false;
    }
    let dense: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    dense.match_indices("(){").any(|(at, _)| {
        let mut before = dense[..at].rsplit([';', '&', '|', '(', ')', '{', '}']);
        let name = before.next().unwrap_or_default();
        let keyword = name.strip_prefix("function");
        let name = keyword.filter(|rest| !rest.is_empty()).unwrap_or(name);
        let body = &dense[at + 3..];
        let body = body.split('}').next().unwrap_or_default();
        !name.is_empty()
            && (body.contains(&format!("{name}|{name}")) || body.contains(&format!("{name}&")))
    })
}
