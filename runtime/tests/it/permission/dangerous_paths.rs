//! Which places are dangerous, and which a rule is about.

use helve_runtime::permission::{DangerousPaths, paths};
use helve_runtime::tool::FileAccess;

use crate::permission::fixture::context;

/// What the system whose users move here guards: 22 files and 4 folders.
const FILES: [&str; 22] = [
    ".gitconfig",
    ".gitmodules",
    ".bashrc",
    ".bash_profile",
    ".zshrc",
    ".zprofile",
    ".profile",
    ".ssh/config",
    ".ssh/authorized_keys",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".env",
    ".envrc",
    ".env.local",
    ".env.development",
    ".env.development.local",
    ".env.test",
    ".env.test.local",
    ".env.staging",
    ".env.production",
    ".env.production.local",
];
const FOLDERS: [&str; 4] = [".git", ".vscode", ".idea", ".ssh"];

#[test]
fn the_usual_files_and_folders_are_in() {
    let dangerous = DangerousPaths::default();
    for file in FILES {
        for place in [
            format!("/home/me/{file}"),
            format!("/{file}"),
            format!("/a/b/{}", file.to_uppercase()),
        ] {
            assert!(dangerous.find(&place).is_some(), "{place}");
        }
    }
    for folder in FOLDERS {
        for place in [
            format!("/w/{folder}"),
            format!("/w/{folder}/x"),
            format!("/w/{folder}/x/y"),
        ] {
            assert!(dangerous.find(&place).is_some(), "{place}");
        }
    }
}

#[test]
fn secrets_of_programs_and_of_the_machine_are_in() {
    let dangerous = DangerousPaths::default();
    for place in [
        "/home/me/keys/id_rsa",
        "/home/me/.aws/credentials",
        "/home/me/.kube/config",
        "/home/me/.docker/config.json",
        "/home/me/.config/gcloud/x",
        "/home/me/.zshenv",
        "/home/me/.config/fish/config.fish",
        "/etc/shadow",
        "/etc/sudoers.d/x",
        "/etc/ssh/ssh_host_rsa_key",
        "/proc/1/environ",
        "/w/.helve/permissions.json",
        "/home/me/.config/helve/permissions.json",
        "/home/me/.local/share/helve/acceptances.json",
        "/elsewhere/helve/acceptances.json",
        "/home/me/.cargo/credentials.toml",
        "/home/me/.bash_history",
        "/home/me/.zsh_history",
        "/home/me/.psql_history",
        "/home/me/.mysql_history",
        "/home/me/.python_history",
        "/home/me/.node_repl_history",
        "/w/certs/server.pem",
        "/w/tls.KEY",
    ] {
        assert!(dangerous.find(place).is_some(), "{place}");
    }
}

#[test]
fn what_developers_read_every_day_is_not() {
    let dangerous = DangerousPaths::default();
    for place in [
        "/w/src/main.rs",
        "/w/.gitignore",
        "/w/.github/workflows/ci.yml",
        "/w/.env.example",
        "/w/.env.sample",
        "/w/environment.ts",
        "/w/.editorconfig",
        "/home/me/keys/id_rsa.pub",
        "/etc/passwd",
        "/etc/hosts",
        "/w/shadow",
        "/w/config",
        "/w/credentials",
        "/proc/cpuinfo",
        "/w/.cargo/config.toml",
        "/w/git/x",
        "/w/venv/.envx",
        "/w/.config/nvim/init.lua",
    ] {
        assert_eq!(dangerous.find(place), None, "{place}");
    }
}

#[test]
fn what_the_machine_runs_may_be_read_and_not_written() {
    let dangerous = DangerousPaths::default();
    let cx = context();
    for place in [
        "/etc/passwd",
        "/etc/cron.d/job",
        "/etc/ld.so.preload",
        "/etc/profile.d/x.sh",
        "/etc/systemd/system/x.service",
        "/etc/xdg/autostart/x.desktop",
    ] {
        assert_eq!(dangerous.find(place), None, "{place}");
        let writes = dangerous.find_accessed(&FileAccess::write(place), &cx);
        assert!(writes.is_some(), "{place}");
    }
    for place in [
        "~/.config/systemd/user/x.service",
        "~/.config/autostart/x.desktop",
    ] {
        let writes = dangerous.find_accessed(&FileAccess::write(place), &cx);
        assert!(writes.is_some(), "{place}");
    }
    assert_eq!(dangerous.find("/etc/ssl/certs/ca.pem"), None);
}

#[test]
fn disguises_are_seen_through() {
    let dangerous = DangerousPaths::default();
    let cx = context();
    for path in [
        "~/.ssh/id",
        "~/.SSH/id",
        "/w/./.ssh//id",
        "/w/a/../.env",
        "~/x/../.bashrc",
        ".env",
        "a/../../.git/config",
        "/w/.\u{17f}\u{17f}h/id",
        "/w/.g\u{200c}it/config",
        "/W/.Env",
    ] {
        assert!(
            dangerous
                .find_accessed(&FileAccess::read(path), &cx)
                .is_some(),
            "{path}"
        );
    }
}

#[test]
fn globs_are_held_against_what_they_may_mean() {
    let dangerous = DangerousPaths::default();
    let cx = context();
    let touched = |path: &str| dangerous.find_accessed(&FileAccess::read(path).into_pattern(), &cx);
    for path in [
        ".e*",
        "~/.ss?/x",
        "id_*",
        "*_rsa",
        ".[e]nv",
        "**/.env",
        ".git/**",
        ".*",
        "/etc/sha*",
        "~/.aws/*",
        ".env*",
        // It may be `.env.example`, and `.env.local` just as well.
        ".env.*",
        "src/.??v",
        "*.pem",
        "certs/*.p*",
        "*.ke?",
        "*.[p]em",
        "~/.s*/*",
    ] {
        assert!(touched(path).is_some(), "{path}");
    }
    for path in [
        "*",
        "**",
        "**/*.rs",
        "*.json",
        "src/*",
        "*.e*",
        "*.rs*",
        "*.*",
        "/etc/host*",
        "?",
        ".github/*",
        ".gitig*",
    ] {
        assert_eq!(touched(path), None, "{path}");
    }
}

#[test]
fn an_app_adds_and_takes_away() {
    let dangerous = DangerousPaths::default()
        .with(["*.kdbx", "vault/", "/srv/secret", "!.npmrc", "!/w/.env"])
        .unwrap();
    for place in ["/a/pass.kdbx", "/a/vault/x", "/srv/secret", "/x/.env"] {
        assert!(dangerous.find(place).is_some(), "{place}");
    }
    for place in ["/a/.npmrc", "/w/.env", "/srv/secret/x", "/srv/secrets"] {
        assert_eq!(dangerous.find(place), None, "{place}");
    }
    for pattern in ["", "!", "/", "**", "a//"] {
        assert!(
            DangerousPaths::empty().with([pattern]).is_err(),
            "{pattern}"
        );
    }
}

#[test]
fn rules_about_paths() {
    let cx = context();
    let covers = |rule: &str, path: &str| paths::covers(&cx, rule, path).covers_all();
    for (rule, path) in [
        ("*.rs", "/a/b/main.rs"),
        ("src/**", "src/a/b.rs"),
        ("src", "src/a"),
        ("src/*", "src/a"),
        ("~/notes/**", "/home/me/notes/x"),
        ("**/*.lock", "Cargo.lock"),
        ("/tmp/**", "/tmp/../tmp/x"),
        ("**", "/anything"),
        ("./**", "x"),
        ("secrets/", "a/secrets/b"),
    ] {
        assert!(covers(rule, path), "{rule} {path}");
    }
    for (rule, path) in [
        ("src/**", "src/../lib.rs"),
        ("src/**", "lib/src/a"),
        ("src/*.rs", "src/a/b.rs"),
        ("/tmp/**", "/tmp/../etc/passwd"),
        ("~/notes/**", "notes/x"),
        ("*.rs", "a.rsx"),
        ("*.rs", ""),
    ] {
        assert!(!covers(rule, path), "{rule} {path}");
    }
}
