//! Rules about programs: commands, dynamic code, network access and writes.

use super::Severity::{Red, Yellow};
use super::line::{FileKind, Language, Rule, ScannedLine};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "shell-exec",
        severity: Red,
        kinds: |kind| kind == FileKind::Code(Language::JavaScript),
        message: "a command that the code starts",
        help: "see which command, and where its arguments come from",
        applies: |line| {
            (line.file_starts_commands && calls_module_function(line, EXEC_FUNCTIONS))
                || imports_process_api(line)
        },
    },
    Rule {
        name: "shell-exec",
        severity: Yellow,
        kinds: |kind| matches!(kind, FileKind::Code(Language::Python | Language::Unknown)),
        message: "a command that the code starts",
        help: "see which command, and where its arguments come from",
        applies: |line| {
            line.has(&[
                "os.system(",
                "os.popen(",
                "subprocess.",
                "pty.spawn(",
                "shell_exec(",
                "proc_open(",
                "os.exec",
                "os.spawn",
                "os.posix_spawn",
                "create_subprocess_",
                "getoutput(",
            ]) || (line.has(&["import "]) && line.has_word(&["pexpect", "import sh", "from sh"]))
        },
    },
    Rule {
        name: "dynamic-code",
        severity: Red,
        kinds: FileKind::is_code,
        message: "code built from text at run time",
        help: "see where the text comes from",
        applies: evaluates_code,
    },
    Rule {
        name: "network-access",
        severity: Yellow,
        kinds: FileKind::is_code,
        message: "a call over the network",
        help: "see what is sent, and to whom",
        applies: calls_network,
    },
    Rule {
        name: "remote-script",
        severity: Yellow,
        kinds: FileKind::any,
        message: "a download that is run at once",
        help: "download it, read it, then run it",
        applies: runs_download,
    },
    Rule {
        name: "fs-write-outside-safe-path",
        severity: Red,
        kinds: FileKind::is_code,
        message: "a write outside of the folder that the code works in",
        help: "see what is overwritten there",
        applies: writes_outside,
    },
];

/// The functions of Node's `child_process`.
const EXEC_FUNCTIONS: &[&str] = &[
    "exec(",
    "execsync(",
    "execfile(",
    "execfilesync(",
    "spawn(",
    "spawnsync(",
    "fork(",
];

/// Returns whether a line imports a package that starts commands, or uses an API of the runtime for
/// commands.
fn imports_process_api(line: &ScannedLine<'_>) -> bool {
    const PACKAGES: &[&str] = &["shelljs", "execa", "cross-spawn", "node-pty", "zx"];
    const BUILT_IN: &[&str] = &[
        "deno.command(",
        "deno.run(",
        "bun.spawn(",
        "bun.spawnsync(",
        "bun.$`",
    ];
    let imports = line.has(&["import ", "import(", "require(", "from "]);
    (imports && line.has_word(PACKAGES)) || line.has(BUILT_IN)
}

/// Returns whether a line calls a function of a module, directly or imported, and not a method with the
/// same name.
fn calls_module_function(line: &ScannedLine<'_>, functions: &[&str]) -> bool {
    functions
        .iter()
        .any(|function| line.has_word(&[function]) && !is_method_of_another(&line.lower, function))
}

/// Returns whether all calls with that name are methods of other objects, such as a regular expression:
/// `pattern.exec(`.
fn is_method_of_another(text: &str, function: &str) -> bool {
    let mut calls = text.match_indices(function).map(|(at, _)| &text[..at]);
    calls.all(|before| {
        before.ends_with('.')
            && !["child_process.", "cp.", "childprocess.", ").", "process."]
                .iter()
                .any(|module| before.ends_with(module))
    })
}

fn evaluates_code(line: &ScannedLine<'_>) -> bool {
    match line.kind {
        FileKind::Code(Language::Shell) => {
            line.has_word(&["eval "]) && line.has(&["$(", "\"$", "`"])
        }
        FileKind::Code(Language::JavaScript) => {
            is_free_call(line, "eval(")
                || line.has(&["new function(", "vm.runin", "settimeout(\"", "settimeout('"])
        }
        FileKind::Code(_) => {
            is_free_call(line, "eval(")
                || is_free_call(line, "exec(")
                || is_free_call(line, "__import__(")
        }
        _ => false,
    }
}

/// Returns whether a function is called by its bare name, and not as a method: `re.compile(` is not
/// `compile(`.
fn is_free_call(line: &ScannedLine<'_>, function: &str) -> bool {
    let continues = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$');
    let mut calls = line.text.match_indices(function);
    calls.any(|(at, _)| !line.text[..at].ends_with(continues))
}

fn calls_network(line: &ScannedLine<'_>) -> bool {
    match line.kind {
        FileKind::Code(Language::Shell) => {
            line.has_word(&[
                "curl", "wget", "nc", "ncat", "telnet", "scp", "sftp", "rsync",
            ]) || line.has(&["/dev/tcp/", "/dev/udp/"])
        }
        FileKind::Code(Language::Python) => line.has(&[
            "requests.",
            "urllib.request",
            "urlopen(",
            "httpx.",
            "aiohttp.",
            "http.client",
            "socket.socket(",
            "socket.create_connection(",
            "smtplib.",
            "ftplib.",
            "paramiko.",
            "websockets.connect(",
        ]),
        FileKind::Code(Language::JavaScript) => {
            line.has_word(&[
                "fetch(",
                "axios.",
                "axios(",
                "got(",
                "xmlhttprequest",
                "websocket(",
                "navigator.sendbeacon(",
            ]) || line.has(&[
                "http.request(",
                "http.get(",
                "https.request(",
                "https.get(",
                "net.connect(",
                "net.createconnection(",
                "dgram.createsocket(",
            ])
        }
        _ => {
            line.has(&[
                "http::",
                "net/http",
                "http.get(",
                "http.post(",
                "reqwest::",
                "tcpstream::connect",
                "net.dial(",
                "invoke-webrequest",
                "invoke-restmethod",
                "net.webclient",
                "lwp::",
                "file_get_contents(\"http",
                "curl_exec(",
                "urlconnection",
                "httpclient",
            ]) || line.has_word(&["curl", "wget"])
        }
    }
}

/// Returns whether a line pipes a download into an interpreter.
fn runs_download(line: &ScannedLine<'_>) -> bool {
    if !line.has_word(&["curl", "wget", "iwr", "invoke-webrequest"]) {
        return false;
    }
    let mut piped = line.text.split('|').skip(1).map(str::trim_start);
    let interprets = |command: &str| {
        let mut words = command
            .split_whitespace()
            .skip_while(|word| *word == "sudo" || word.contains('='));
        let program = words.next().unwrap_or_default();
        let program = program
            .rsplit('/')
            .next()
            .unwrap_or(program)
            .trim_end_matches([')', '`', '"', '\'', ';']);
        [
            "sh", "bash", "zsh", "dash", "ksh", "fish", "python", "python3", "node", "perl",
            "ruby", "iex",
        ]
        .contains(&program)
    };
    piped.any(interprets)
        || line.has(&[
            "bash <(curl",
            "sh <(curl",
            "bash -c \"$(curl",
            "sh -c \"$(curl",
            "bash -c \"$(wget",
            "sh -c \"$(wget",
            "eval \"$(curl",
            "source <(curl",
        ])
}

/// Returns whether a line writes to an absolute path, to the home folder, or to a parent folder.
fn writes_outside(line: &ScannedLine<'_>) -> bool {
    const WRITES: &[&str] = &[
        "writefile(",
        "writefilesync(",
        "appendfile(",
        "appendfilesync(",
        "createwritestream(",
        "rmsync(",
        "unlinksync(",
        "write_text(",
        "write_bytes(",
        "shutil.rmtree(",
        "os.remove(",
        "fs.rm(",
        "fs.unlink(",
        "fs.cp(",
        "fs.rename(",
        "file_put_contents(",
    ];
    if line.has(WRITES) {
        return quoted_strings(&line.text)
            .any(|path| is_outside(path) || is_program_in_shared_folder(path));
    }
    match line.kind {
        FileKind::Code(Language::Python) => {
            let opens = line.has(&["open("]);
            let mut quoted = quoted_strings(&line.text).peekable();
            let path = quoted.peek().copied();
            let mode = quoted
                .skip(1)
                .any(|mode| mode.len() <= 3 && mode.contains(['w', 'a', 'x', '+']));
            let is_bad = |path| is_outside(path) || is_program_in_shared_folder(path);
            opens && mode && path.is_some_and(is_bad)
        }
        FileKind::Code(Language::Shell) => redirect_targets(&line.text).any(is_outside),
        _ => false,
    }
}

fn quoted_strings(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find(['"', '\'', '`'])?;
        let quote = rest[start..].chars().next()?;
        let inner = &rest[start + 1..];
        let end = inner.find(quote)?;
        rest = &inner[end + 1..];
        Some(&inner[..end])
    })
}

/// Returns the files that the redirections of a shell line write to.
fn redirect_targets(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split('>').skip(1).map(str::trim_start);
    targets
        .filter_map(|target| target.split_whitespace().next())
        .map(|target| target.trim_matches(['"', '\'']))
}

fn is_outside(path: &str) -> bool {
    const SAFE: &[&str] = &[
        "/dev/null",
        "/dev/stderr",
        "/dev/stdout",
        "/dev/tty",
        "/dev/fd",
        "/tmp/",
        "/var/tmp/",
    ];
    if SAFE.iter().any(|safe| path.starts_with(safe)) && !path.contains("..") {
        return false;
    }
    let drive = path.as_bytes().get(1) == Some(&b':')
        && path.as_bytes().first().is_some_and(u8::is_ascii_alphabetic);
    path.starts_with('/') && path.len() > 1
        || path.starts_with('~')
        || path.starts_with("$HOME")
        || path.starts_with("${HOME")
        || path.starts_with("../")
        || drive
}

/// Returns whether a path is that of a program in a folder that all users share: a write to it is
/// likely meant to be run.
fn is_program_in_shared_folder(path: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "sh", "bash", "zsh", "fish", "py", "js", "mjs", "cjs", "ts", "pl", "rb", "php", "ps1",
        "bat", "cmd", "exe", "so", "dylib", "dll", "jar", "bin", "elf", "desktop", "service",
        "plist",
    ];
    let is_shared = ["/tmp/", "/var/tmp/", "/dev/shm/"]
        .iter()
        .any(|folder| path.starts_with(folder));
    let ending = path.rsplit_once('.').map(|(_, ending)| ending);
    is_shared
        && ending.is_some_and(|ending| ENDINGS.contains(&ending.to_ascii_lowercase().as_str()))
}
