//! The minimum content of the table: the entries of the lists that preceded the table.

use super::{DangerousPaths, Guard};
use helve_core::sandbox::SandboxPolicy;
use helve_core::tool::AccessKind;

/// Asks in every mode, to read and to write.
const SECRET: &str = "\
    .git-credentials .config/git/credentials .ssh/ .gnupg/ id_rsa id_dsa id_ecdsa id_ecdsa_sk id_ed25519 \
    id_ed25519_sk *.pem *.key *.p12 *.pfx .bash_history .zsh_history .zhistory .histfile .sh_history .ash_history \
    .local/share/fish/fish_history .psql_history .mysql_history .mariadb_history .sqlite_history .rediscli_history \
    .mongosh/ .dbshell .python_history .ipython/ .node_repl_history .irb_history .lesshst .viminfo .env .env.* \
    .envrc .netrc _netrc .npmrc .yarnrc .yarnrc.yml .pypirc .pgpass .my.cnf .htpasswd .vault-token .aws/ .azure/ \
    .config/gcloud/ .config/gh/hosts.yml .kube/config .docker/config.json .cargo/credentials .cargo/credentials.toml \
    .config/helve/credentials.toml .gem/credentials .terraform.d/credentials.tfrc.json /etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- \
    /etc/sudoers /etc/sudoers.d/ /etc/ssh/ssh_host_*_key /proc/*/environ /proc/*/mem /dev/sd* /dev/hd* /dev/vd* \
    /dev/xvd* /dev/nvme* /dev/mmcblk* /dev/dm-* /dev/mapper/ /dev/disk/ /dev/mem /dev/kmem /dev/port";

/// Asks to read, and in every mode to write.
const OBEYED: &str = "\
    .git/ .gitconfig .gitmodules .config/git/ .vscode/ .idea/ .bashrc .bash_profile .bash_login .bash_logout \
    .bash_aliases .zshrc .zshenv .zprofile .zlogin .zlogout .profile .cshrc .tcshrc .kshrc .xprofile .xinitrc \
    .xsession .pam_environment .config/fish/ .config/environment.d/ .config/systemd/user/ .local/share/systemd/user/ \
    .config/autostart/ Library/LaunchAgents/ .helve/ .config/helve/ helve/permissions.json \
    .local/share/helve/ helve/acceptances.json .local/state/helve/";

/// Asks in every mode to write.
const SYSTEM: &str = "\
    /etc/ssl/certs/ /etc/passwd /etc/group /etc/pam.d/ /etc/pam.conf /etc/security/ /etc/nsswitch.conf /etc/ssh/ \
    /etc/ld.so.preload /etc/ld.so.conf /etc/ld.so.conf.d/ /etc/environment /etc/hosts /etc/resolv.conf \
    /etc/gitconfig /etc/profile /etc/profile.d/ /etc/bash.bashrc /etc/bashrc /etc/zshrc /etc/zsh/ /etc/zshenv \
    /etc/zprofile /etc/fish/ /etc/crontab /etc/anacrontab /etc/cron.d/ /etc/cron.hourly/ /etc/cron.daily/ \
    /etc/cron.weekly/ /etc/cron.monthly/ /var/spool/cron/ /var/spool/at/ /etc/systemd/ /lib/systemd/ \
    /usr/lib/systemd/ /usr/local/lib/systemd/ /run/systemd/ /etc/init.d/ /etc/rc.local /etc/inittab \
    /etc/xdg/autostart/ /etc/udev/ /etc/modprobe.d/ /etc/modules-load.d/ /boot/ /Library/LaunchAgents/ \
    /Library/LaunchDaemons/";

/// Asks to write after untrusted text was read.
const LATER: &str = "\
    .cursorrules .envrc .exrc .gitattributes .gitconfig .gitlab-ci.yml .gitmodules .helve .mcp.json .mise.toml \
    .nvim.lua .nvimrc .pre-commit-config.yaml .windsurfrules AGENTS.md CLAUDE.md GEMINI.md SKILL.md helve.toml \
    lefthook.yaml lefthook.yml rust-toolchain.toml .agents/ .circleci/ .claude/ .codex/ .cursor/ .devcontainer/ \
    .gemini/ .git/ .githooks/ .helve/ .husky/ .idea/ .vscode/ .zed/ cron.d/ systemd/ .cargo/config \
    .cargo/config.toml .github/workflows/ .config/autostart/ a.code-workspace";

/// Is read-only for commands.
const PROTECTED: &str = "\
    .git/hooks .git/config .git/config.worktree .git/info/attributes .gitmodules .bashrc .bash_profile .bash_login \
    .bash_logout .profile .zshrc .zshenv .zprofile .zlogin .config/fish .envrc .gitconfig .ssh .vscode .idea .zed \
    .cursor .claude .agents .mcp.json helve.toml";

/// Is hidden from commands.
const MASKED: &str = "\
    .env .env.local .env.*.local .env.development .env.production .env.staging .env.test .netrc .npmrc .pypirc \
    .git-credentials id_rsa id_dsa id_ecdsa id_ed25519 *.pem *.key *.p12 *.pfx";

/// Is refused by the file tools of this machine.
const REFUSED: &str = "\
    .ssh .gnupg .aws .azure .kube .password-store .vault-token .netrc .git-credentials .pypirc .pgpass .my.cnf \
    .docker/config.json .config/gcloud .config/gh .config/git/credentials .config/op .config/containers/auth.json \
    .cargo/credentials .cargo/credentials.toml .terraform.d/credentials.tfrc.json .local/share/keyrings \
    .mozilla/firefox .config/google-chrome .config/chromium Library/Keychains";

/// Returns a path that a pattern matches, in the folder of a user.
fn place(pattern: &str) -> String {
    let path = pattern.replace('*', "x");
    match (path.starts_with('/'), path.ends_with('/')) {
        (true, false) => path,
        (true, true) => path + "inside",
        (false, false) => format!("/home/me/deep/{path}"),
        (false, true) => format!("/home/me/deep/{path}inside"),
    }
}

fn guard(pattern: &str, access: AccessKind) -> Guard {
    let paths = DangerousPaths::default();
    let found = paths.look_up(&place(pattern), access);
    found.map_or(Guard::Open, |found| found.guard)
}

#[test]
fn nothing_that_was_guarded_is_open() {
    for (list, reading, writing) in [
        (SECRET, Guard::Always, Guard::Always),
        (OBEYED, Guard::Asks, Guard::Always),
        (SYSTEM, Guard::Open, Guard::Always),
        (LATER, Guard::Open, Guard::AfterUntrusted),
        (REFUSED, Guard::Never, Guard::Never),
    ] {
        for pattern in list.split_whitespace() {
            for (access, least) in [(AccessKind::Read, reading), (AccessKind::Write, writing)] {
                assert!(guard(pattern, access) >= least, "{access:?} {pattern}");
            }
        }
    }
    let policy = SandboxPolicy::new("/w");
    for (list, held) in [(PROTECTED, &policy.protected), (MASKED, &policy.masked)] {
        for name in list.split_whitespace() {
            assert!(held.iter().any(|held| held == name), "{name} in commands");
        }
    }
}

#[test]
fn what_is_edited_every_day_asks_no_more_than_before() {
    let ordinary = "Cargo.toml package.json Makefile build.rs setup.py pyproject.toml Dockerfile src/main.rs \
                    .gitignore .editorconfig bin/run config/app.toml";
    for path in ordinary.split_whitespace() {
        assert_eq!(guard(path, AccessKind::Unknown), Guard::Open, "{path}");
    }
    let steering = ".github/workflows/ci.yml .gitlab-ci.yml AGENTS.md docs/CLAUDE.md";
    for path in steering.split_whitespace() {
        let (reading, writing) = (
            guard(path, AccessKind::Read),
            guard(path, AccessKind::Write),
        );
        assert_eq!(
            (reading, writing),
            (Guard::Open, Guard::AfterUntrusted),
            "{path}"
        );
    }
}
