//! Programs that act: which of their options and sub-commands start a program of the caller's choice.
//!
//! A rule about the program does not cover such a command: whoever allowed `tar` did not allow everything.

use super::{Judged, Word};

/// Programs, with what makes them opaque. A long option counts abbreviated too, a letter counts in a bundle, a long name
/// behind one dash counts behind two, `+` stands for any word that begins so, and an empty list for whatever follows.
/// Sorted by name.
pub(crate) static TABLE: &[(&str, &[&str])] = &[
    ("ack", &["--pager", "--output"]),
    ("ag", &["--pager"]),
    ("ansible", &["-m", "-a"]),
    ("apt", &["-o", "--option", "-c", "--config-file"]),
    ("apt-get", &["-o", "--option", "-c", "--config-file"]),
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
    ("doas", &[]),
    ("docker", &["run", "exec"]),
    ("dpkg", &["--pre-invoke", "--post-invoke"]),
    ("ed", &[]),
    ("emacs", &[]),
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
    (
        "kubectl",
        &["exec", "run", "debug", "--kubeconfig", "plugin"],
    ),
    ("ld", &["-plugin", "--plugin"]),
    (
        "less",
        &[
            "+",
            "-k",
            "--lesskey-file",
            "--lesskey-src",
            "--lesskey-content",
            "-o",
            "-O",
            "--log-file",
            "--cmd",
        ],
    ),
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
    (
        "man",
        &[
            "-P",
            "--pager",
            "-H",
            "--html",
            "-C",
            "--config-file",
            "-p",
            "--preprocessor",
            "-X",
        ],
    ),
    ("more", &["+"]),
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
    ("nsenter", &[]),
    ("nvim", &[]),
    ("openssl", &["-engine", "-provider-path"]),
    ("parallel", &[]),
    ("pip", &["--python"]),
    ("pipenv", &["run", "shell"]),
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
    ("podman", &["run", "exec"]),
    ("poetry", &["run", "shell"]),
    ("proxychains", &[]),
    ("psql", &["-c", "--command", "-f", "--file"]),
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
    ("split", &["--filter"]),
    ("sqlite3", &["-cmd", "-init"]),
    ("ssh", &[]),
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
    ("vi", &[]),
    ("view", &[]),
    ("vim", &[]),
    ("watch", &[]),
    ("wget", &["--use-askpass", "--config", "-e", "--execute"]),
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

/// Interpreters, with the options that neither are code nor choose any: `NAME` takes no value, `NAME:` takes one.
/// Sorted by name.
pub(crate) static INTERPRETERS: &[(&str, &[&str])] = &[
    ("awk", &[]),
    ("bash", &["-e", "-u", "-x", "-eu", "-ex", "-eux"]),
    ("dash", &["-e", "-u", "-x", "-eu", "-ex", "-eux"]),
    ("gawk", &[]),
    ("ksh", &["-e", "-u", "-x"]),
    ("lua", &["-W"]),
    ("mawk", &[]),
    ("nawk", &[]),
    (
        "node",
        &[
            "--test",
            "--watch",
            "--no-warnings",
            "--trace-warnings",
            "--enable-source-maps",
        ],
    ),
    ("perl", &["-w", "-c", "-T", "-t"]),
    ("php", &["-l", "-n"]),
    (
        "python",
        &[
            "-u", "-B", "-O", "-OO", "-s", "-E", "-I", "-v", "-q", "-b", "-bb", "-W:", "-m!",
        ],
    ),
    (
        "python3",
        &[
            "-u", "-B", "-O", "-OO", "-s", "-E", "-I", "-v", "-q", "-b", "-bb", "-W:", "-m!",
        ],
    ),
    ("ruby", &["-w", "-W0", "-W1", "-W2", "-c"]),
    ("sh", &["-e", "-u", "-x", "-eu", "-ex", "-eux"]),
    ("zsh", &["-e", "-u", "-x", "-f"]),
];

fn row(table: &[(&str, &'static [&'static str])], name: &str) -> Option<&'static [&'static str]> {
    let at = table.binary_search_by(|(row, _)| (*row).cmp(name)).ok()?;
    Some(table[at].1)
}

/// Judges a program that no spec names.
pub(crate) fn judge(program: &str, words: &[Word]) -> Judged {
    let arguments = &words[1..];
    if let Some(harmless) = row(INTERPRETERS, interpreter(program)) {
        return interpreted(harmless, arguments);
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

/// `python3.11` is `python3`.
fn interpreter(program: &str) -> &str {
    let name = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    match name {
        "python" | "perl" | "ruby" | "lua" | "php" if name.len() < program.len() => name,
        _ => program,
    }
}

/// An interpreter with a file runs what is in it. With code among its arguments, or on its input, it runs anything.
fn interpreted(harmless: &[&str], arguments: &[Word]) -> Judged {
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let Some(text) = word.known() else {
            return Judged::opaque();
        };
        if !text.starts_with('-') {
            return Judged::acts();
        }
        if matches!(text, "--version" | "--help" | "-V") && arguments.len() == 1 {
            return Judged::acts();
        }
        if harmless.contains(&text) {
            continue;
        }
        match harmless
            .iter()
            .find(|name| name.trim_end_matches([':', '!']) == text)
        {
            // The rest is the module's.
            Some(name) if name.ends_with('!') && rest.next().is_some_and(|word| word.is_exact) => {
                return Judged::acts();
            }
            Some(name) if name.ends_with(':') => {
                rest.next();
            }
            _ => return Judged::opaque(),
        }
    }
    Judged::opaque()
}

fn has_sign(arguments: &[Word], signs: &[&str]) -> bool {
    arguments.iter().any(|word| {
        let may_be_any = !word.is_exact && (word.text.is_empty() || word.text.starts_with('-'));
        may_be_any || signs.iter().any(|sign| is_sign(&word.text, sign))
    })
}

fn is_sign(text: &str, sign: &str) -> bool {
    let name = text.split_once('=').map_or(text, |(name, _)| name);
    if sign == "+" {
        return text.starts_with('+');
    }
    if sign.starts_with("--") {
        return name.starts_with("--") && name.len() > 3 && sign.starts_with(name);
    }
    if sign.len() == 2 && sign.starts_with('-') {
        return !text.starts_with("--") && text.starts_with('-') && text[1..].contains(&sign[1..]);
    }
    // `-vettool` and `--vettool` are one option to programs written in Go.
    name == sign || sign.starts_with('-') && name.strip_prefix('-') == Some(sign)
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

/// Judges a sub-command of git that does more than read.
pub(crate) fn git(name: &str, arguments: &[Word]) -> Judged {
    const SIGNS: &[&str] = &[
        "--config-env",
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
        "clone" => &["-c", "-u"],
        "fetch" | "pull" | "ls-remote" => &["-u"],
        "add" | "commit" => &[],
        _ => &[],
    };
    let has_letter = letters
        .iter()
        .any(|letter| arguments.iter().any(|word| word.text.starts_with(letter)));
    let first = arguments.first().map_or("", |word| &word.text);
    let by_kind = match name {
        "filter-branch" | "mergetool" | "difftool" | "daemon" | "instaweb" | "send-email"
        | "hook" | "for-each-repo" | "maintenance" | "credential" | "web--browse" | "shell"
        | "upload-pack" | "receive-pack" | "remote-ext" => true,
        // What it sets may be a program.
        "config" => true,
        "submodule" => first == "foreach" || arguments.iter().any(|word| word.text == "foreach"),
        "bisect" => first == "run",
        _ => false,
    };
    let has_address = arguments.iter().any(|word| word.text.contains("::"));
    if by_kind || has_letter || has_address || has_sign(arguments, SIGNS) {
        Judged::opaque()
    } else {
        Judged::acts()
    }
}
