//! Options and sub-commands through which a program runs another of the caller's choosing.
//!
//! A rule about the program does not cover such a command: whoever allowed `tar` did not allow everything.

use super::script::Word;

/// Programs, with what makes them runners. A long option counts abbreviated too; a short one counts in a cluster.
static TABLE: &[(&str, &[&str])] = &[
    ("ack", &["--pager", "--output"]),
    ("ag", &["--pager"]),
    ("ansible", &["-m", "-a"]),
    ("apt", &["-o", "--option"]),
    ("apt-get", &["-o", "--option"]),
    ("bat", &["--pager"]),
    ("bazel", &["--run_under", "run"]),
    ("bun", &["run", "x", "exec", "-e", "--eval", "--preload"]),
    ("bundle", &["exec"]),
    ("cargo", &["--config", "-Z", "watch", "run"]),
    ("cmake", &["-E", "-P"]),
    ("composer", &["exec", "run-script", "run"]),
    ("conda", &["run"]),
    ("curl", &["-K", "--config"]),
    ("deno", &["eval", "run"]),
    ("docker", &["run", "exec"]),
    ("dpkg", &["--pre-invoke", "--post-invoke"]),
    ("ed", &[]),
    (
        "emacs",
        &["--eval", "-l", "--load", "--script", "-f", "--funcall"],
    ),
    ("fd", &["-x", "-X", "--exec", "--exec-batch"]),
    ("gcc", &["-wrapper", "-B", "-specs"]),
    ("gh", &["extension", "alias", "codespace"]),
    (
        "go",
        &["run", "generate", "tool", "-toolexec", "-exec", "-vettool"],
    ),
    ("helm", &["--post-renderer", "plugin"]),
    ("info", &["-o", "--output"]),
    (
        "just",
        &[
            "--shell",
            "--shell-arg",
            "-f",
            "--justfile",
            "-c",
            "--command",
        ],
    ),
    ("kubectl", &["exec", "run", "debug", "--kubeconfig"]),
    ("ld", &["-plugin", "--plugin"]),
    ("less", &["-k", "--lesskey-file"]),
    (
        "make",
        &[
            "-f",
            "--file",
            "--makefile",
            "--eval",
            "-C",
            "--directory",
            "-I",
            "--include-dir",
        ],
    ),
    ("man", &["-P", "--pager", "-H", "--html", "-C"]),
    ("mysql", &["-e", "--execute"]),
    ("nc", &["-e", "-c", "--exec", "--sh-exec"]),
    ("ncat", &["-e", "-c", "--exec", "--sh-exec"]),
    ("nmap", &["--script"]),
    (
        "npm",
        &[
            "exec",
            "x",
            "explore",
            "config",
            "set",
            "init",
            "create",
            "--script-shell",
            "--node-options",
        ],
    ),
    ("openssl", &["-engine", "-provider-path"]),
    ("pip", &["--python"]),
    ("pipenv", &["run", "shell"]),
    ("pnpm", &["exec", "dlx", "x", "create", "--script-shell"]),
    ("podman", &["run", "exec"]),
    ("poetry", &["run", "shell"]),
    ("psql", &["-c", "--command", "-f", "--file"]),
    ("rg", &["--pre", "--hostname-bin"]),
    ("rpm", &["--eval", "-E", "--pipe", "--define", "-D"]),
    ("rsync", &["-e", "--rsh", "--rsync-path"]),
    ("scp", &["-S", "-o", "-F"]),
    ("sdiff", &["--diff-program"]),
    ("sftp", &["-S", "-o", "-F", "-b", "-s"]),
    ("socat", &[]),
    ("sort", &["--compress-program"]),
    ("split", &["--filter"]),
    ("sqlite3", &["-cmd", "-init"]),
    (
        "tar",
        &[
            "--to-command",
            "--checkpoint-action",
            "-I",
            "--use-compress-program",
            "--rsh-command",
            "--rmt-command",
            "-F",
            "--info-script",
            "--new-volume-script",
        ],
    ),
    ("tcpdump", &["-z"]),
    ("terraform", &["-chdir"]),
    ("tmux", &[]),
    ("uv", &["run", "tool", "x"]),
    ("wget", &["--use-askpass", "--config", "-e", "--execute"]),
    ("yarn", &["exec", "dlx", "node", "run", "create"]),
    ("zip", &["-TT", "--unzip-command"]),
];

/// Programs that are there to run others, or to be told in their own language what to do.
const ALWAYS: &[&str] = &[
    "npx",
    "bunx",
    "pnpx",
    "uvx",
    "pipx",
    "vim",
    "vi",
    "nvim",
    "view",
    "ex",
    "ed",
    "emacs",
    "nano",
    "expect",
    "tmux",
    "screen",
    "socat",
    "gdb",
    "lldb",
    "make",
    "ninja",
    "rake",
    "at",
    "batch",
    "crontab",
    "alias",
    "source",
    ".",
    "enable",
    "dotnet",
    "java",
    "ant",
    "wish",
    "xdg-open",
    "open",
    "start",
    "entr",
    "direnv",
    "mise",
    "asdf",
    "nix",
    "nix-shell",
    "guix",
    "vagrant",
    "ansible-playbook",
];

/// Reports whether the command runs a program of the caller's choosing.
pub(super) fn is_runner(program: &str, words: &[Word<'_>]) -> bool {
    if program == "git" {
        return git(words);
    }
    if matches!(program, "awk" | "gawk" | "mawk" | "nawk") {
        return words.iter().any(|word| {
            ["system", "|", "@", "-f", "-i", "-l"]
                .iter()
                .any(|sign| word.text.contains(sign))
        });
    }
    if matches!(program, "less" | "more" | "man") {
        // `+!command`, `LESS` in the arguments, and keys that start an editor.
        return words.len() > 1
            && words[1..]
                .iter()
                .any(|word| word.text.starts_with(['+', '-']));
    }
    let Ok(index) = TABLE.binary_search_by(|(name, _)| (*name).cmp(program)) else {
        return false;
    };
    let signs = TABLE[index].1;
    words[1..].iter().any(|word| {
        word.is_dynamic && word.text.is_empty()
            || signs.iter().any(|sign| is_sign(&word.text, sign))
    })
}

/// Reports whether a program runs others so freely that no rule about its first argument says what it will do.
pub(super) fn always_runs(program: &str) -> bool {
    ALWAYS.contains(&program) && program != "make"
}

fn is_sign(text: &str, sign: &str) -> bool {
    let name = text.split_once('=').map_or(text, |(name, _)| name);
    // Go takes two dashes for one.
    if name.strip_prefix('-') == Some(sign) && sign.len() > 2 {
        return true;
    }
    if sign.starts_with("--") {
        return name.starts_with("--") && name.len() > 3 && sign.starts_with(name);
    }
    if sign.len() == 2 && sign.starts_with('-') {
        return !text.starts_with("--") && text.starts_with('-') && text[1..].contains(&sign[1..]);
    }
    name == sign
}

fn git(words: &[Word<'_>]) -> bool {
    const SIGNS: [&str; 17] = [
        "-c",
        "--config-env",
        "--exec-path",
        "--upload-pack",
        "--receive-pack",
        "--exec",
        "-x",
        "--extcmd",
        "-O",
        "--open-files-in-pager",
        "--ext-diff",
        "--textconv",
        "foreach",
        "run",
        "--tool",
        "filter-branch",
        "--template",
    ];
    let start = super::readers::git_subcommand(words);
    let first = start.map_or("", |at| &*words[at].text);
    // `-c` and `-x` mean something else to most sub-commands.
    let before = &words[1..start.unwrap_or(words.len())];
    let configures = before
        .iter()
        .any(|word| is_sign(&word.text, "-c") || word.is_dynamic);
    let is_told = words[1..].iter().any(|word| {
        SIGNS[1..]
            .iter()
            .any(|sign| sign.len() > 2 && is_sign(&word.text, sign))
            || word.text.contains("ext::")
    });
    let by_kind = match first {
        "rebase" | "difftool" => words.iter().any(|word| is_sign(&word.text, "-x")),
        "grep" => words.iter().any(|word| is_sign(&word.text, "-O")),
        "clone" | "fetch" | "pull" | "ls-remote" => words.iter().any(|word| {
            word.text == "-c" || word.text == "-u" || word.text.starts_with("--config")
        }),
        "filter-branch" | "mergetool" | "difftool-" | "daemon" | "instaweb" | "send-email"
        | "hook" | "for-each-repo" => true,
        "config" => words.len() > 3,
        _ => false,
    };
    // Alone, it tells how it is used.
    (start.is_none() && words.len() > 1) || configures || is_told || by_kind
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(TABLE.is_sorted_by_key(|(name, _)| *name));
    }

    #[test]
    fn runners_are_seen() {
        let runs = |text: &str| {
            let words: Vec<Word<'_>> = text.split(' ').map(Word::literal).collect();
            is_runner(&words[0].text, &words)
        };
        for text in [
            "tar --to-comm=x -xf a",
            "git -c core.pager=x log",
            "git rebase -x make",
            "rg --pre x y",
            "git submodule foreach ls",
        ] {
            assert!(runs(text), "{text}");
        }
        for text in [
            "tar -xf a.tar",
            "git commit -c HEAD",
            "git push origin x",
            "rg --pretty x",
            "git checkout -b x",
        ] {
            assert!(!runs(text), "{text}");
        }
    }
}
