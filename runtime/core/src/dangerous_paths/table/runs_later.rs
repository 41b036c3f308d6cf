//! Files that the user's programs execute or load later: at a commit, at a login, on opening or entering a
//! folder.

use super::super::row::CommandRule::Checked;
use super::super::row::Depth::{Anywhere, Repository, Top};
use super::super::row::{Guard, Kind, Row};

const GIT: &str = "git executes these files or reads them as configuration";
const OTHER_VCS: &str =
    "a version control program executes these files or reads them as configuration";
const HOOKS: &str = "a hook manager runs what it names, at a commit";
const CI: &str = "a CI service runs it";
const EDITOR: &str = "an editor executes these files";
const SHELL: &str = "a shell runs it when it starts";
const PROGRAM: &str = "a program runs it when it starts";
const SESSION: &str = "it is executed later without a command from the user";
const ENTERED: &str = "it is executed or applied when a shell enters the folder";
const BUILD: &str = "a build tool executes or applies it at startup";

/// Creates the row of a file that other programs execute or load. Reading the file usually reveals no secret, so the
/// question about reading is one that a mode may answer.
const fn executed(pattern: &'static str, reason: &'static str) -> Row {
    Row::new(Kind::RunsLater, pattern, reason).guards(Guard::Asks, Guard::Always)
}

/// The same as `executed`, for a file that may be read without a question, and whose writing a mode may allow.
const fn runs(pattern: &'static str, reason: &'static str) -> Row {
    Row::new(Kind::RunsLater, pattern, reason).guards(Guard::Open, Guard::Asks)
}

/// Creates the row of a file that is edited every day, and that is executed where a user usually reviews it
/// first.
const fn ordinary(pattern: &'static str, reason: &'static str) -> Row {
    Row::new(Kind::RunsLater, pattern, reason).guards(Guard::Open, Guard::AfterUntrusted)
}

pub(super) const ROWS: &[Row] = &[
    // Commits write the objects, the references and the index.
    executed(".git/", GIT),
    executed(".git/hooks", GIT).read_only(Anywhere),
    executed(".git/config", GIT).read_only(Anywhere),
    executed(".git/config.worktree", GIT).read_only(Anywhere),
    executed(".git/info/attributes", GIT).read_only(Anywhere),
    executed(".git/commondir", GIT).read_only(Anywhere),
    // `exec` in the file starts programs at `git rebase --continue`.
    executed(".git/rebase-merge/git-rebase-todo", GIT).commands(Checked, Anywhere),
    executed(".gitmodules", GIT).read_only(Anywhere),
    executed(".gitconfig", GIT).read_only(Anywhere),
    executed(".config/git/", GIT).read_only(Top),
    ordinary(".gitattributes", GIT),
    runs(".hg/hgrc", OTHER_VCS).read_only(Repository),
    runs(".jj/repo/config.toml", OTHER_VCS).read_only(Repository),
    // Where git is configured to run the hooks, the settings of the repository protect them.
    runs(".githooks/", HOOKS),
    runs(".husky/", HOOKS).read_only(Repository),
    runs(".pre-commit-config.yaml", HOOKS).read_only(Repository),
    runs(".pre-commit-config.yml", HOOKS).read_only(Repository),
    runs("prek.toml", HOOKS).read_only(Repository),
    runs("lefthook.yml", HOOKS).read_only(Repository),
    runs("lefthook.yaml", HOOKS).read_only(Repository),
    runs("lefthook.toml", HOOKS).read_only(Repository),
    runs("lefthook.json", HOOKS).read_only(Repository),
    runs(".lefthook.yml", HOOKS).read_only(Repository),
    runs(".lefthook.yaml", HOOKS).read_only(Repository),
    runs(".lefthook.toml", HOOKS).read_only(Repository),
    runs(".lefthook.json", HOOKS).read_only(Repository),
    runs("lefthook-local.yml", HOOKS).read_only(Repository),
    runs("lefthook-local.yaml", HOOKS).read_only(Repository),
    runs(".lefthook-local.yml", HOOKS).read_only(Repository),
    runs(".lefthook-local.yaml", HOOKS).read_only(Repository),
    runs(".config/lefthook.yml", HOOKS).read_only(Repository),
    runs(".lefthook/", HOOKS).read_only(Repository),
    runs(".lefthook-local/", HOOKS).read_only(Repository),
    runs(".overcommit.yml", HOOKS).read_only(Repository),
    runs(".git-hooks/", HOOKS).read_only(Repository),
    ordinary(".github/workflows/", CI),
    ordinary(".gitlab-ci.yml", CI),
    ordinary(".circleci/", CI),
    executed(".vscode/", EDITOR).read_only(Anywhere),
    executed(".idea/", EDITOR).read_only(Anywhere),
    runs(".zed/", EDITOR).read_only(Anywhere),
    runs("*.code-workspace", EDITOR).reported_to_watch(),
    runs(".devcontainer/", EDITOR).read_only(Repository),
    runs(".devcontainer.json", EDITOR).read_only(Repository),
    runs(".helix/", EDITOR).read_only(Repository),
    runs(".exrc", EDITOR).read_only(Repository),
    runs(".vimrc", EDITOR).read_only(Repository),
    runs(".gvimrc", EDITOR).read_only(Repository),
    runs(".nvimrc", EDITOR).read_only(Repository),
    runs(".nvim.lua", EDITOR).read_only(Repository),
    runs(".dir-locals.el", EDITOR).read_only(Repository),
    runs(".dir-locals-2.el", EDITOR).read_only(Repository),
    runs(".vim/", EDITOR).read_only(Top),
    runs(".emacs", EDITOR).read_only(Top),
    runs(".emacs.d/", EDITOR).read_only(Top),
    runs(".config/emacs/", EDITOR).read_only(Top),
    runs(".config/helix/", EDITOR).read_only(Top),
    runs(".config/nvim/", EDITOR).read_only(Top),
    runs(".config/zed/", EDITOR).read_only(Top),
    executed(".bashrc", SHELL).read_only(Anywhere),
    executed(".bash_profile", SHELL).read_only(Anywhere),
    executed(".bash_login", SHELL).read_only(Anywhere),
    executed(".bash_logout", SHELL).read_only(Anywhere),
    executed(".bash_aliases", SHELL).read_only(Top),
    runs(".bash_completion", SHELL).read_only(Top),
    executed(".profile", SHELL).read_only(Anywhere),
    executed(".zshrc", SHELL).read_only(Anywhere),
    executed(".zshenv", SHELL).read_only(Anywhere),
    executed(".zprofile", SHELL).read_only(Anywhere),
    executed(".zlogin", SHELL).read_only(Anywhere),
    executed(".zlogout", SHELL).read_only(Top),
    executed(".cshrc", SHELL).read_only(Top),
    executed(".tcshrc", SHELL).read_only(Top),
    executed(".kshrc", SHELL).read_only(Top),
    executed(".xprofile", SHELL).read_only(Top),
    executed(".xinitrc", SHELL).read_only(Top),
    executed(".xsession", SHELL).read_only(Top),
    executed(".pam_environment", SHELL).read_only(Top),
    executed(".config/fish/", SHELL).read_only(Anywhere),
    runs(".config/nushell/", SHELL).read_only(Top),
    runs(".config/powershell/", SHELL).read_only(Top),
    executed(".config/environment.d/", SHELL).read_only(Top),
    executed(".config/systemd/user/", SESSION).read_only(Top),
    executed(".local/share/systemd/user/", SESSION).read_only(Top),
    executed(".config/autostart/", SESSION).read_only(Top),
    executed("Library/LaunchAgents/", SESSION).read_only(Top),
    ordinary("systemd/", SESSION),
    ordinary("cron.d/", SESSION),
    runs(".local/bin/", "programs there are run by their names").read_only(Top),
    runs(".tmux.conf", PROGRAM).read_only(Top),
    runs(".config/tmux/", PROGRAM).read_only(Top),
    runs(".gdbinit", PROGRAM).read_only(Repository),
    runs(".lldbinit", PROGRAM).read_only(Repository),
    runs(".Rprofile", PROGRAM).read_only(Repository),
    runs(".irbrc", PROGRAM).read_only(Repository),
    runs(".pryrc", PROGRAM).read_only(Repository),
    runs(".ghci", PROGRAM).read_only(Repository),
    runs(".iex.exs", PROGRAM).read_only(Repository),
    runs(".ocamlinit", PROGRAM).read_only(Repository),
    runs(".octaverc", PROGRAM).read_only(Repository),
    // The file contains secrets, and direnv executes it.
    executed(".envrc", "secrets of an environment")
        .guards(Guard::Always, Guard::Always)
        .read_only(Anywhere),
    runs(".mise.toml", ENTERED).read_only(Repository),
    runs(".mise.local.toml", ENTERED).read_only(Repository),
    runs("mise.toml", ENTERED).read_only(Repository),
    runs("mise.local.toml", ENTERED).read_only(Repository),
    runs(".mise/", ENTERED).read_only(Repository),
    runs(".config/mise.toml", ENTERED).read_only(Repository),
    runs(".config/mise/", ENTERED).read_only(Repository),
    runs(".tool-versions", ENTERED).read_only(Repository),
    // `use flake` in an accepted `.envrc` evaluates them again when they change.
    ordinary("flake.nix", ENTERED).reported_to_watch(),
    ordinary("shell.nix", ENTERED).reported_to_watch(),
    ordinary("devenv.nix", ENTERED).reported_to_watch(),
    runs("rust-toolchain", BUILD).read_only(Repository),
    runs("rust-toolchain.toml", BUILD).read_only(Repository),
    runs(".cargo/config", BUILD).read_only(Repository),
    runs(".cargo/config.toml", BUILD).read_only(Repository),
    runs(".mvn/", BUILD).read_only(Repository),
    runs(".bazelrc", BUILD).read_only(Repository),
    // Package managers and wrappers write these files themselves.
    runs("gradle/wrapper/", BUILD).reported_to_watch(),
    runs(".pnpmfile.cjs", BUILD).reported_to_watch(),
    runs(".yarn/releases/", BUILD).reported_to_watch(),
    runs(".yarn/plugins/", BUILD).reported_to_watch(),
];
