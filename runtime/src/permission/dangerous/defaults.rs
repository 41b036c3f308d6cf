//! The places that are dangerous where an app says nothing else: one table of what reading and writing each means.

use super::Guard;

/// A row of the table.
pub(super) struct Place {
    /// The pattern; an exception begins with `!`, and stands behind what it is an exception of.
    pub(super) pattern: &'static str,
    /// What is there, in words for the person.
    pub(super) reason: &'static str,
    pub(super) on_read: Guard,
    pub(super) on_write: Guard,
}

/// Reading it shows a secret.
const fn secret(pattern: &'static str, reason: &'static str) -> Place {
    Place {
        pattern,
        reason,
        on_read: Guard::Always,
        on_write: Guard::Always,
    }
}

/// Other programs run it or obey it. Reading it shows no secret as a rule, which a mode that asks little takes as enough.
const fn obeyed(pattern: &'static str, reason: &'static str) -> Place {
    Place {
        pattern,
        reason,
        on_read: Guard::Asks,
        on_write: Guard::Always,
    }
}

/// The machine runs it or obeys it, and everybody may read it.
const fn system(pattern: &'static str, reason: &'static str) -> Place {
    Place {
        pattern,
        reason,
        on_read: Guard::Open,
        on_write: Guard::Always,
    }
}

/// What looks dangerous and is not.
const fn except(pattern: &'static str) -> Place {
    Place {
        pattern,
        reason: "",
        on_read: Guard::Open,
        on_write: Guard::Open,
    }
}

const GIT: &str = "git runs and obeys what is there";
const EDITOR: &str = "an editor runs what is there";
const KEYS: &str = "private keys";
const SHELL: &str = "a shell runs it when it starts";
const ENVIRONMENT: &str = "secrets of an environment";
const CREDENTIALS: &str = "credentials of a program";
const HISTORY: &str = "a history holds what was typed, passwords among it";
const LOGINS: &str = "secrets of the machine, and who may log in";
const STARTS: &str = "the machine runs it when it starts, or when somebody logs in";
const LATER: &str = "it is run later, by itself";
const LOADED: &str = "every program obeys it when it starts";
const DISK: &str = "a disk or the memory of the machine";
const RULES: &str = "it says what runs without a question";

pub(super) const ALL: &[Place] = &[
    obeyed(".git/", GIT),
    obeyed(".gitconfig", GIT),
    obeyed(".gitmodules", GIT),
    obeyed(".config/git/", GIT),
    secret(".git-credentials", CREDENTIALS),
    secret(".config/git/credentials", CREDENTIALS),
    obeyed(".vscode/", EDITOR),
    obeyed(".idea/", EDITOR),
    secret(".ssh/", KEYS),
    secret(".gnupg/", KEYS),
    secret("id_rsa", KEYS),
    secret("id_dsa", KEYS),
    secret("id_ecdsa", KEYS),
    secret("id_ecdsa_sk", KEYS),
    secret("id_ed25519", KEYS),
    secret("id_ed25519_sk", KEYS),
    secret("*.pem", KEYS),
    secret("*.key", KEYS),
    secret("*.p12", KEYS),
    secret("*.pfx", KEYS),
    // The certificates that everybody trusts are no secret; what is written there is trusted.
    except("!/etc/ssl/certs/"),
    except("!/etc/ssl/cert.pem"),
    except("!/etc/pki/tls/cert.pem"),
    system("/etc/ssl/certs/", LOADED),
    obeyed(".bashrc", SHELL),
    obeyed(".bash_profile", SHELL),
    obeyed(".bash_login", SHELL),
    obeyed(".bash_logout", SHELL),
    obeyed(".bash_aliases", SHELL),
    obeyed(".zshrc", SHELL),
    obeyed(".zshenv", SHELL),
    obeyed(".zprofile", SHELL),
    obeyed(".zlogin", SHELL),
    obeyed(".zlogout", SHELL),
    obeyed(".profile", SHELL),
    obeyed(".cshrc", SHELL),
    obeyed(".tcshrc", SHELL),
    obeyed(".kshrc", SHELL),
    obeyed(".xprofile", SHELL),
    obeyed(".xinitrc", SHELL),
    obeyed(".xsession", SHELL),
    obeyed(".pam_environment", SHELL),
    obeyed(".config/fish/", SHELL),
    obeyed(".config/environment.d/", SHELL),
    obeyed(".config/systemd/user/", LATER),
    obeyed(".local/share/systemd/user/", LATER),
    obeyed(".config/autostart/", LATER),
    obeyed("Library/LaunchAgents/", LATER),
    secret(".bash_history", HISTORY),
    secret(".zsh_history", HISTORY),
    secret(".zhistory", HISTORY),
    secret(".histfile", HISTORY),
    secret(".sh_history", HISTORY),
    secret(".ash_history", HISTORY),
    secret(".local/share/fish/fish_history", HISTORY),
    secret(".psql_history", HISTORY),
    secret(".mysql_history", HISTORY),
    secret(".mariadb_history", HISTORY),
    secret(".sqlite_history", HISTORY),
    secret(".rediscli_history", HISTORY),
    secret(".mongosh/", HISTORY),
    secret(".dbshell", HISTORY),
    secret(".python_history", HISTORY),
    secret(".ipython/", HISTORY),
    secret(".node_repl_history", HISTORY),
    secret(".irb_history", HISTORY),
    secret(".lesshst", HISTORY),
    secret(".viminfo", HISTORY),
    secret(".env", ENVIRONMENT),
    secret(".env.*", ENVIRONMENT),
    // What is there to be copied holds none.
    except("!.env.example"),
    except("!.env.sample"),
    except("!.env.template"),
    except("!.env.dist"),
    secret(".envrc", ENVIRONMENT),
    secret(".netrc", CREDENTIALS),
    secret("_netrc", CREDENTIALS),
    secret(".npmrc", CREDENTIALS),
    secret(".yarnrc", CREDENTIALS),
    secret(".yarnrc.yml", CREDENTIALS),
    secret(".pypirc", CREDENTIALS),
    secret(".pgpass", CREDENTIALS),
    secret(".my.cnf", CREDENTIALS),
    secret(".htpasswd", CREDENTIALS),
    secret(".vault-token", CREDENTIALS),
    secret(".aws/", CREDENTIALS),
    secret(".azure/", CREDENTIALS),
    secret(".config/gcloud/", CREDENTIALS),
    secret(".config/gh/hosts.yml", CREDENTIALS),
    secret(".kube/config", CREDENTIALS),
    secret(".docker/config.json", CREDENTIALS),
    secret(".cargo/credentials", CREDENTIALS),
    secret(".cargo/credentials.toml", CREDENTIALS),
    secret(".gem/credentials", CREDENTIALS),
    secret(".terraform.d/credentials.tfrc.json", CREDENTIALS),
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
    obeyed(".helve/", RULES),
    obeyed(".config/helve/", RULES),
    obeyed("helve/permissions.json", RULES),
    obeyed("helve/trusted_projects.json", RULES),
];
