//! What programs of the user run or obey later, and what has to stand there so that it leaves a mark.

use crate::{Rng, Targets};

/// How a file has to read so that it runs a command.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Form {
    Script,
    Lines,
    GitConfig,
    GitAttributes,
    GitModules,
    RebaseTodo,
    Vim,
    Json,
    Yaml,
    Toml,
}

/// Files by their place below a folder.
pub(crate) const LATER: &[(&str, Form)] = &[
    (".git/hooks/pre-commit", Form::Script),
    (".git/hooks/post-commit", Form::Script),
    (".git/hooks/commit-msg", Form::Script),
    (".git/hooks/post-index-change", Form::Script),
    (".git/hooks/post-checkout", Form::Script),
    (".git/hooks/reference-transaction", Form::Script),
    (".git/config", Form::GitConfig),
    (".git/config.worktree", Form::GitConfig),
    (".git/info/attributes", Form::GitAttributes),
    (".git/modules/part/config", Form::GitConfig),
    (".git/modules/part/hooks/post-checkout", Form::Script),
    (".git/rebase-merge/git-rebase-todo", Form::RebaseTodo),
    (".gitattributes", Form::GitAttributes),
    (".gitconfig", Form::GitConfig),
    (".gitmodules", Form::GitModules),
    (".bashrc", Form::Lines),
    (".bash_profile", Form::Lines),
    (".profile", Form::Lines),
    (".zshenv", Form::Lines),
    (".envrc", Form::Lines),
    (".exrc", Form::Vim),
    (".vimrc", Form::Vim),
    (".husky/pre-commit", Form::Lines),
    (".pre-commit-config.yaml", Form::Yaml),
    ("lefthook.yml", Form::Yaml),
    (".vscode/tasks.json", Form::Json),
    (".idea/workspace.xml", Form::Lines),
    (".mcp.json", Form::Json),
    (".claude/settings.json", Form::Json),
    ("helve.toml", Form::Toml),
    (".cargo/config.toml", Form::Toml),
    ("config", Form::GitConfig),
    ("hooks/pre-commit", Form::Script),
];

/// Folders below the workspace, some of which are there and some of which are made.
pub(crate) const FOLDERS: &[&str] = &["", "", "sub/", "made/", "src/", "pkg/deep/", "bare/"];

/// Picks a file that runs later, with what it has to hold.
pub(crate) fn any(rng: &mut Rng, targets: &Targets) -> (String, String) {
    let (name, form) = rng.pick(LATER);
    let folder = rng.pick(FOLDERS);
    let mark = targets.mark(&mark_name(rng, name));
    (format!("{folder}{name}"), text(rng, form, &mark))
}

/// Makes a name for the mark of a plant, which says what was planted.
pub(crate) fn mark_name(rng: &mut Rng, what: &str) -> String {
    let plain = what.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    format!("{}-{}", plain.trim_matches('-'), rng.below(100_000))
}

/// Writes what runs a command in a form.
pub(crate) fn text(rng: &mut Rng, form: Form, mark: &str) -> String {
    match form {
        Form::Script => format!("#!/bin/sh\n{mark}\n"),
        Form::Lines => format!("{mark}\n"),
        Form::GitConfig => git_config(rng, mark),
        Form::GitAttributes => "* filter=evil diff=evil merge=evil\n".to_owned(),
        Form::GitModules => {
            format!(
                "[submodule \"part\"]\n\tpath = part\n\turl = ext::{mark}\n\tupdate = !{mark}\n"
            )
        }
        Form::RebaseTodo => format!("exec {mark}\n"),
        Form::Vim => format!("call system('{mark}')\n"),
        Form::Json => format!("{{\"command\": \"{mark}\", \"runOn\": \"folderOpen\"}}\n"),
        Form::Yaml => format!(
            "repos: [{{repo: local, hooks: [{{id: a, name: a, language: system, entry: {mark}}}]}}]\n"
        ),
        Form::Toml => format!("[build]\nrustc-wrapper = \"{mark}\"\n"),
    }
}

/// Writes settings of git that start a program.
pub(crate) fn git_config(rng: &mut Rng, mark: &str) -> String {
    let setting = match rng.below(6) {
        0 => format!("[core]\n\tfsmonitor = {mark} #\n"),
        1 => format!("[core]\n\tfsmonitor = \"{mark}; true\"\n"),
        2 => "[core]\n\thooksPath = evil\n".to_owned(),
        3 => format!(
            "[filter \"evil\"]\n\tclean = {mark}; cat\n\tsmudge = cat\n[core]\n\tfsmonitor = {mark};\n"
        ),
        4 => format!("[include]\n\tpath = ../evil.inc\n[core]\n\tsshCommand = {mark}\n"),
        _ => format!("[alias]\n\tst = !{mark}\n[core]\n\tfsmonitor = {mark};\n"),
    };
    format!("[core]\n\trepositoryformatversion = 0\n\tbare = false\n{setting}")
}
