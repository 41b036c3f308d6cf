//! The dangerous paths of the machine: world-readable files that the system executes or loads, and the
//! system's secrets.

use super::super::row::{Guard, Kind, Row, secret};

const GIT: &str = "git executes these files or reads them as configuration";
const SHELL: &str = "a shell runs it when it starts";
const KEYS: &str = "private keys";
const ENVIRONMENT: &str = "secrets of an environment";
const LOGINS: &str = "system secrets and login permissions";
const STARTS: &str = "the system executes it at boot or at login";
const LATER: &str = "it is executed later without a command from the user";
const LOADED: &str = "every program loads it at startup";
const DISK: &str = "a disk or the memory of the machine";

/// Creates the row of a world-readable file that the system executes or loads.
const fn system(pattern: &'static str, reason: &'static str) -> Row {
    Row::new(Kind::RunsLater, pattern, reason).guards(Guard::Open, Guard::Always)
}

pub(super) const ROWS: &[Row] = &[
    system("/etc/ssl/certs/", LOADED),
    secret("/etc/shadow", LOGINS),
    secret("/etc/shadow-", LOGINS),
    secret("/etc/gshadow", LOGINS),
    secret("/etc/gshadow-", LOGINS),
    secret("/etc/sudoers", LOGINS),
    secret("/etc/sudoers.d/", LOGINS),
    secret("/etc/ssh/ssh_host_*_key", KEYS),
    secret("/proc/*/environ", ENVIRONMENT),
    secret("/proc/*/mem", DISK),
    secret("/dev/sd*", DISK),
    secret("/dev/hd*", DISK),
    secret("/dev/vd*", DISK),
    secret("/dev/xvd*", DISK),
    secret("/dev/nvme*", DISK),
    secret("/dev/mmcblk*", DISK),
    secret("/dev/dm-*", DISK),
    secret("/dev/mapper/", DISK),
    secret("/dev/disk/", DISK),
    secret("/dev/mem", DISK),
    secret("/dev/kmem", DISK),
    secret("/dev/port", DISK),
    system("/etc/passwd", LOGINS),
    system("/etc/group", LOGINS),
    system("/etc/pam.d/", LOGINS),
    system("/etc/pam.conf", LOGINS),
    system("/etc/security/", LOGINS),
    system("/etc/nsswitch.conf", LOGINS),
    system("/etc/ssh/", LOGINS),
    system("/etc/ld.so.preload", LOADED),
    system("/etc/ld.so.conf", LOADED),
    system("/etc/ld.so.conf.d/", LOADED),
    system("/etc/environment", LOADED),
    system("/etc/hosts", LOADED),
    system("/etc/resolv.conf", LOADED),
    system("/etc/gitconfig", GIT),
    system("/etc/profile", SHELL),
    system("/etc/profile.d/", SHELL),
    system("/etc/bash.bashrc", SHELL),
    system("/etc/bashrc", SHELL),
    system("/etc/zshrc", SHELL),
    system("/etc/zsh/", SHELL),
    system("/etc/zshenv", SHELL),
    system("/etc/zprofile", SHELL),
    system("/etc/fish/", SHELL),
    system("/etc/crontab", LATER),
    system("/etc/anacrontab", LATER),
    system("/etc/cron.d/", LATER),
    system("/etc/cron.hourly/", LATER),
    system("/etc/cron.daily/", LATER),
    system("/etc/cron.weekly/", LATER),
    system("/etc/cron.monthly/", LATER),
    system("/var/spool/cron/", LATER),
    system("/var/spool/at/", LATER),
    system("/etc/systemd/", STARTS),
    system("/lib/systemd/", STARTS),
    system("/usr/lib/systemd/", STARTS),
    system("/usr/local/lib/systemd/", STARTS),
    system("/run/systemd/", STARTS),
    system("/etc/init.d/", STARTS),
    system("/etc/rc.local", STARTS),
    system("/etc/inittab", STARTS),
    system("/etc/xdg/autostart/", STARTS),
    system("/etc/udev/", STARTS),
    system("/etc/modprobe.d/", STARTS),
    system("/etc/modules-load.d/", STARTS),
    system("/boot/", STARTS),
    system("/Library/LaunchAgents/", STARTS),
    system("/Library/LaunchDaemons/", STARTS),
];
