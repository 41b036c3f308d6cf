//! Files that act later: they run when something else is done, or are read as instructions by an agent.

use std::path::{Component, Path};

/// Names of files, at any depth.
const FILES: [&str; 22] = [
    ".cursorrules",
    ".envrc",
    ".exrc",
    ".gitattributes",
    ".gitconfig",
    ".gitlab-ci.yml",
    ".gitmodules",
    ".helve",
    ".mcp.json",
    ".mise.toml",
    ".nvim.lua",
    ".nvimrc",
    ".pre-commit-config.yaml",
    ".windsurfrules",
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    "SKILL.md",
    "helve.toml",
    "lefthook.yaml",
    "lefthook.yml",
    "rust-toolchain.toml",
];

/// Folders all of whose files count, at any depth.
const FOLDERS: [&str; 16] = [
    ".agents",
    ".circleci",
    ".claude",
    ".codex",
    ".cursor",
    ".devcontainer",
    ".gemini",
    ".git",
    ".githooks",
    ".helve",
    ".husky",
    ".idea",
    ".vscode",
    ".zed",
    "cron.d",
    "systemd",
];

/// Folders with the one of their own folders, or files, that counts.
const BELOW: [(&str, &str); 4] = [
    (".cargo", "config"),
    (".cargo", "config.toml"),
    (".github", "workflows"),
    (".config", "autostart"),
];

/// Reports whether what stands at a path runs, or steers an agent, later. Letter case does not matter, as on some disks.
pub(in crate::permission) fn acts_later(path: &str) -> bool {
    let names = Path::new(path).components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        _ => None,
    });
    let names: Vec<String> = names.collect();
    let Some((file, folders)) = names.split_last() else {
        return false;
    };
    let same = |one: &str, other: &str| one.eq_ignore_ascii_case(other);
    let is_below = |pair: &[String]| {
        let [folder, inner] = pair else { return false };
        BELOW
            .iter()
            .any(|(name, of)| same(name, folder) && same(of, inner))
    };
    FILES.iter().any(|name| same(name, file))
        || file.to_ascii_lowercase().ends_with(".code-workspace")
        || names.windows(2).any(is_below)
        || folders
            .iter()
            .chain([file])
            .any(|folder| FOLDERS.iter().any(|name| same(name, folder)))
}

#[cfg(test)]
mod tests {
    use super::acts_later;

    #[test]
    fn instructions_hooks_and_settings_act_later_and_sources_do_not() {
        for path in [
            "AGENTS.md",
            "/w/pkg/claude.md",
            "/w/skills/pdf/SKILL.md",
            "/w/.github/workflows/ci.yml",
            "/w/.husky/pre-commit",
            "/w/.cargo/config.toml",
            "/w/a.code-workspace",
            "/w/.git/hooks/pre-commit",
        ] {
            assert!(acts_later(path), "{path}");
        }
        for path in [
            "/w/src/main.rs",
            "/w/.github/CODEOWNERS",
            "README.md",
            "/",
            "/w/Cargo.toml",
        ] {
            assert!(!acts_later(path), "{path}");
        }
    }
}
