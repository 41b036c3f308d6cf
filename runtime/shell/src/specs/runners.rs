//! Programs that act: which of their options and sub-commands start a program of the caller's choice.
//!
//! A rule about the program does not cover such a command: whoever allowed `tar` did not allow everything.

use super::{Judged, Word, interpreters};

/// Programs, with what makes them opaque. A long option counts abbreviated too, a letter counts in a bundle, a long name
/// behind one dash counts behind two, `+` and `-` stand for any word that begins so, and an empty list for whatever follows.
/// Sorted by name.
pub(crate) static TABLE: &[(&str, &[&str])] = &[
    ("ack", &["--pager", "--output"]),
    ("ag", &["--pager"]),
    ("alias", &[]),
    ("ansible", &["-m", "-a"]),
    ("ansible-playbook", &[]),
    ("ant", &[]),
    ("apt", &["-o", "--option", "-c", "--config-file"]),
    ("apt-get", &["-o", "--option", "-c", "--config-file"]),
    ("asdf", &[]),
    ("at", &[]),
    ("bash", &[]),
    ("bat", &["--pager"]),
    ("batch", &[]),
    (
        "bazel",
        &[
            "--run_under",
            "--bazelrc",
            "--workspace_status_command",
            "--override_repository",
            "--override_module",
            "--credential_helper",
            "run",
            "--config",
            "--action_env",
            "--shell_executable",
            "--spawn_strategy",
            "--extra_toolchains",
        ],
    ),
    ("bun", &["run", "x", "exec", "-e", "--eval", "--preload"]),
    ("bundle", &["exec"]),
    ("bunx", &[]),
    ("busybox", &[]),
    ("caffeinate", &[]),
    ("cargo", &["--config", "-Z", "watch", "run"]),
    ("chroot", &[]),
    ("chrt", &[]),
    (
        "clang",
        &[
            "-fplugin",
            "-fpass-plugin",
            "-load",
            "--config",
            "-B",
            "-Xclang",
        ],
    ),
    ("cmake", &["-E", "-P"]),
    ("composer", &["exec", "run-script", "run"]),
    ("conda", &["run"]),
    ("crontab", &[]),
    ("curl", &["-K", "--config"]),
    ("deno", &["eval", "run"]),
    ("direnv", &[]),
    ("doas", &[]),
    ("docker", &["run", "exec"]),
    ("dotnet", &[]),
    ("dpkg", &["--pre-invoke", "--post-invoke"]),
    ("ed", &[]),
    ("emacs", &[]),
    ("enable", &[]),
    ("entr", &[]),
    ("ex", &[]),
    ("expect", &[]),
    ("fakeroot", &[]),
    (
        "fd",
        &["-x", "-X", "--exec", "--exec-batch", "-l", "--list-details"],
    ),
    (
        "fdfind",
        &["-x", "-X", "--exec", "--exec-batch", "-l", "--list-details"],
    ),
    ("firejail", &[]),
    ("flock", &[]),
    ("gcc", &["-wrapper", "-B", "-specs", "-fplugin"]),
    ("gdb", &[]),
    ("gh", &["extension", "alias", "codespace"]),
    (
        "go",
        &[
            "run",
            "generate",
            "tool",
            "-toolexec",
            "-exec",
            "-vettool",
            "-overlay",
            "-extld",
            "-w",
        ],
    ),
    (
        "gradle",
        &[
            "-I",
            "--init-script",
            "-b",
            "--build-file",
            "-c",
            "--settings-file",
        ],
    ),
    ("guix", &[]),
    ("helm", &["--post-renderer", "plugin"]),
    ("info", &["-o", "--output"]),
    ("java", &[]),
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
    (
        "kubectl",
        &["exec", "run", "debug", "--kubeconfig", "plugin"],
    ),
    ("ld", &["-plugin", "--plugin"]),
    ("less", &["+", "-"]),
    ("lldb", &[]),
    ("ltrace", &[]),
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
    ("man", &["+", "-"]),
    ("mise", &[]),
    ("more", &["+", "-"]),
    (
        "mvn",
        &[
            "exec:exec",
            "exec:java",
            "-f",
            "--file",
            "-s",
            "--settings",
            "-gs",
            "--global-settings",
            "-t",
            "--toolchains",
        ],
    ),
    ("mysql", &["-e", "--execute"]),
    ("nano", &[]),
    ("nc", &["-e", "-c", "--exec", "--sh-exec"]),
    ("ncat", &["-e", "-c", "--exec", "--sh-exec"]),
    ("ninja", &[]),
    ("nix", &[]),
    ("nix-shell", &[]),
    ("nmap", &["--script"]),
    (
        "npm",
        &[
            "exec",
            "x",
            "explore",
            "init",
            "create",
            "--script-shell",
            "--node-options",
            "config",
            "set",
            "c",
            "--prefix",
            "-C",
            "--userconfig",
            "--globalconfig",
            "edit",
            "--editor",
            "--viewer",
            "--shell",
            "--git",
        ],
    ),
    ("npx", &[]),
    ("nsenter", &[]),
    ("nvim", &[]),
    ("open", &[]),
    ("openssl", &["-engine", "-provider-path"]),
    ("parallel", &[]),
    ("pip", &["--python"]),
    ("pipenv", &["run", "shell"]),
    ("pipx", &[]),
    ("pkexec", &[]),
    (
        "pnpm",
        &[
            "exec",
            "dlx",
            "x",
            "create",
            "--script-shell",
            "config",
            "set",
            "-C",
            "--dir",
            "c",
        ],
    ),
    ("pnpx", &[]),
    ("podman", &["run", "exec"]),
    ("poetry", &["run", "shell"]),
    ("proxychains", &[]),
    ("psql", &["-c", "--command", "-f", "--file"]),
    ("rake", &[]),
    ("rg", &["--pre", "--hostname-bin"]),
    ("rpm", &["--eval", "-E", "--pipe", "--define", "-D"]),
    (
        "rsync",
        &["-e", "--rsh", "--rsync-path", "-M", "--remote-option"],
    ),
    ("runuser", &[]),
    ("rustc", &["-C", "--codegen", "-Z"]),
    ("scp", &["-S", "-o", "-F", "-D"]),
    ("screen", &[]),
    ("script", &[]),
    ("sdiff", &["--diff-program"]),
    ("setsid", &[]),
    ("sftp", &["-S", "-o", "-F", "-b", "-s", "-D"]),
    ("socat", &[]),
    ("source", &[]),
    ("split", &["--filter"]),
    ("sqlite3", &["-cmd", "-init"]),
    ("ssh", &[]),
    ("start", &[]),
    ("strace", &[]),
    ("su", &[]),
    ("sudo", &[]),
    ("systemd-run", &[]),
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
    ("taskset", &[]),
    ("tcpdump", &["-z"]),
    ("terraform", &["-chdir"]),
    ("tmux", &[]),
    ("torsocks", &[]),
    ("toybox", &[]),
    ("unbuffer", &[]),
    ("unshare", &[]),
    ("uv", &["run", "tool", "x"]),
    ("uvx", &[]),
    ("vagrant", &[]),
    ("vi", &[]),
    ("view", &[]),
    ("vim", &[]),
    ("watch", &[]),
    ("wget", &["--use-askpass", "--config", "-e", "--execute"]),
    ("wish", &[]),
    ("xdg-open", &[]),
    (
        "yarn",
        &[
            "exec",
            "dlx",
            "node",
            "run",
            "create",
            "config",
            "set",
            "--cwd",
            "--script-shell",
        ],
    ),
    ("zip", &["-TT", "--unzip-command"]),
];

/// Finds a row by its name.
pub(crate) fn row(
    table: &[(&str, &'static [&'static str])],
    name: &str,
) -> Option<&'static [&'static str]> {
    let at = table.binary_search_by(|(row, _)| (*row).cmp(name)).ok()?;
    Some(table[at].1)
}

/// Reports whether a program runs others so freely that no rule about its first argument says what it will do.
pub(crate) fn always_runs(program: &str) -> bool {
    row(TABLE, program).is_some_and(<[_]>::is_empty)
}

/// Judges a program that no spec names.
pub(crate) fn judge(program: &str, words: &[Word]) -> Judged {
    let arguments = &words[1..];
    if let Some(judged) = interpreters::judge(program, arguments) {
        return judged;
    }
    let Some(signs) = row(TABLE, program) else {
        return Judged::acts();
    };
    let is_opaque = signs.is_empty()
        || has_sign(arguments, signs)
        || match program {
            "make" => arguments.iter().any(sets_program),
            "tar" => is_remote_or_filtered(arguments),
            "rustc" => arguments.iter().any(|word| word.text.contains("linker")),
            _ => false,
        };
    if is_opaque {
        Judged::opaque()
    } else {
        Judged::acts()
    }
}

fn has_sign(arguments: &[Word], signs: &[&str]) -> bool {
    arguments.iter().any(|word| {
        let may_be_any = !word.is_exact && (word.text.is_empty() || word.text.starts_with('-'));
        may_be_any || signs.iter().any(|sign| is_sign(&word.text, sign))
    })
}

fn is_sign(text: &str, sign: &str) -> bool {
    let name = text.split_once('=').map_or(text, |(name, _)| name);
    if matches!(sign, "+" | "-") {
        return text.starts_with(sign);
    }
    // `-vettool` and `--vettool` are one option to programs written in Go.
    if sign.len() > 2 && name.strip_prefix('-') == Some(sign) {
        return true;
    }
    if sign.starts_with("--") {
        return name.starts_with("--") && name.len() > 2 && sign.starts_with(name);
    }
    if sign.len() == 2 && sign.starts_with('-') {
        return !text.starts_with("--") && text.starts_with('-') && text[1..].contains(&sign[1..]);
    }
    name == sign
}

/// A variable of `make` may be what a recipe runs.
fn sets_program(word: &Word) -> bool {
    let Some((_, value)) = word.text.split_once('=') else {
        return false;
    };
    let is_plain = word.is_exact
        && (value.bytes().all(|b| b.is_ascii_digit())
            || matches!(
                value,
                "yes" | "no" | "true" | "false" | "on" | "off" | "debug" | "release" | "all"
            ));
    !is_plain
}

/// `tar` reaches archives with a `:` in their names through a program, and may have its first options without a dash.
fn is_remote_or_filtered(arguments: &[Word]) -> bool {
    let bundle = arguments.first().map_or("", |word| &word.text);
    !bundle.starts_with('-') && bundle.contains(['I', 'F'])
        || arguments.iter().any(|word| word.text.contains(':'))
}

/// Leaves out the messages of a commit or a tag: what stands behind `-m` is a text, whatever it becomes.
fn without_message(name: &str, arguments: &[Word]) -> Vec<Word> {
    const PLAIN: [&str; 12] = [
        "-a",
        "-q",
        "-s",
        "-v",
        "-n",
        "--all",
        "--amend",
        "--quiet",
        "--signoff",
        "--verbose",
        "--no-verify",
        "--allow-empty",
    ];
    let mut kept = Vec::with_capacity(arguments.len());
    let mut rest = arguments.iter();
    let mut is_plain = matches!(name, "commit" | "tag");
    while let Some(word) = rest.next() {
        kept.push(word.clone());
        let text = word.known().unwrap_or_default();
        let takes_message = matches!(text, "-m" | "-am" | "--message");
        if is_plain && takes_message {
            // One that may become several is more than a message.
            kept.extend(rest.next().filter(|word| word.may_be_many).cloned());
        } else {
            is_plain &= PLAIN.contains(&text);
        }
    }
    kept
}

/// Judges a sub-command of git that does more than read.
pub(crate) fn git(name: &str, arguments: &[Word]) -> Judged {
    const SIGNS: &[&str] = &[
        "--config-env",
        "--exec-path",
        "filter-branch",
        "foreach",
        "run",
        "--upload-pack",
        "--receive-pack",
        "--exec",
        "--extcmd",
        "--open-files-in-pager",
        "--ext-diff",
        "--textconv",
        "--tool",
        "--template",
        "--output",
        "--config",
        "--git-dir",
        "--show-signature",
        "--smtp-server",
        "--editor",
    ];
    let letters: &[&str] = match name {
        "rebase" | "difftool" => &["-x"],
        "grep" => &["-O"],
        "clone" | "fetch" | "pull" | "ls-remote" => &["-c", "-u"],
        _ => &[],
    };
    let has_letter = letters
        .iter()
        .any(|letter| arguments.iter().any(|word| is_sign(&word.text, letter)));
    let first = arguments.first().map_or("", |word| &word.text);
    let by_kind = match name {
        // What `config` sets may be a program.
        "config" | "filter-branch" | "mergetool" | "difftool" | "daemon" | "instaweb"
        | "send-email" | "hook" | "for-each-repo" | "maintenance" | "credential"
        | "web--browse" | "shell" | "upload-pack" | "receive-pack" | "remote-ext" | "foreach"
        | "run" => true,
        "submodule" => arguments.iter().any(|word| word.text == "foreach"),
        "bisect" => first == "run",
        _ => name.contains("::"),
    };
    let arguments = &without_message(name, arguments);
    let has_address = arguments.iter().any(|word| word.text.contains("::"));
    if by_kind || has_letter || has_address || has_sign(arguments, SIGNS) {
        Judged::opaque()
    } else {
        Judged::acts()
    }
}
