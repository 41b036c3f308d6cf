//! What the sandbox is built from: the programs that lines may run, the recorder, the worker.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Programs of the machine, where it has them.
const REAL: &[&str] = &[
    "[",
    "arch",
    "awk",
    "b2sum",
    "base32",
    "base64",
    "basename",
    "bash",
    "cat",
    "chmod",
    "cksum",
    "cmp",
    "column",
    "comm",
    "cp",
    "csplit",
    "cut",
    "date",
    "dash",
    "dd",
    "df",
    "diff",
    "dir",
    "dircolors",
    "dirname",
    "dmesg",
    "dpkg",
    "du",
    "echo",
    "egrep",
    "env",
    "expand",
    "expr",
    "factor",
    "false",
    "fd",
    "fdfind",
    "fgrep",
    "file",
    "find",
    "fmt",
    "fold",
    "free",
    "gawk",
    "getconf",
    "getent",
    "git",
    "grep",
    "groups",
    "gzip",
    "head",
    "hexdump",
    "hostname",
    "iconv",
    "id",
    "install",
    "ionice",
    "ip",
    "join",
    "journalctl",
    "jq",
    "kill",
    "less",
    "link",
    "ln",
    "locale",
    "logname",
    "ls",
    "lsblk",
    "lscpu",
    "mawk",
    "md5sum",
    "mkdir",
    "mkfifo",
    "mktemp",
    "mount",
    "mv",
    "namei",
    "nawk",
    "netstat",
    "nice",
    "nl",
    "nm",
    "nohup",
    "nproc",
    "numfmt",
    "objdump",
    "od",
    "paste",
    "pathchk",
    "pgrep",
    "pidof",
    "pr",
    "printenv",
    "printf",
    "ps",
    "pstree",
    "ptx",
    "pwd",
    "readelf",
    "readlink",
    "realpath",
    "rev",
    "rg",
    "rm",
    "rmdir",
    "sed",
    "seq",
    "setsid",
    "sh",
    "sha1sum",
    "sha224sum",
    "sha256sum",
    "sha384sum",
    "sha512sum",
    "shred",
    "shuf",
    "sleep",
    "sort",
    "split",
    "ss",
    "stat",
    "stdbuf",
    "strings",
    "stty",
    "sum",
    "sync",
    "systemctl",
    "tac",
    "tail",
    "tar",
    "tee",
    "test",
    "time",
    "timeout",
    "touch",
    "tr",
    "tree",
    "true",
    "truncate",
    "tsort",
    "tty",
    "uname",
    "unexpand",
    "uniq",
    "unlink",
    "unzip",
    "uptime",
    "users",
    "vdir",
    "w",
    "wc",
    "which",
    "whereis",
    "who",
    "whoami",
    "xargs",
    "xxd",
    "yes",
    "zcat",
];

/// Names below which stands a program that does nothing: that it was started shows in the log.
pub(crate) const FAKES: &[&str] = &[
    "pwn", "curl", "wget", "nc", "ssh", "scp", "rsync", "sudo", "su", "python3", "python", "perl",
    "ruby", "node", "npm", "npx", "yarn", "pnpm", "cargo", "rustc", "make", "docker", "kubectl",
    "go", "gradle", "mvn", "bundle", "uv", "pip", "apt", "gpg", "vim",
];

/// Programs of which little is proven but that they say which they are, and where they lie. In the sandbox they lie in a
/// folder that is no part of PATH: there the name is that of a program that does nothing.
const BESIDE_PATH: &[(&str, &[&str])] = &[
    ("g++", &["/usr/bin/g++"]),
    ("gcc", &["/usr/bin/gcc"]),
    ("java", &["/usr/bin/java"]),
    ("javac", &["/usr/bin/javac"]),
    ("make", &["/usr/bin/make"]),
    ("node", &["/usr/bin/node", "/usr/local/bin/node"]),
    ("perl", &["/usr/bin/perl"]),
    ("python", &["/usr/bin/python", "/usr/bin/python3"]),
    ("python3", &["/usr/bin/python3"]),
    ("yq", &["/usr/bin/yq"]),
];

/// A folder with everything; it is removed when it is dropped.
pub(crate) struct Stage {
    folder: PathBuf,
    git_path: String,
}

/// Why the oracle cannot run here.
pub(crate) struct Missing(pub(crate) String);

impl Stage {
    pub(crate) fn prepare() -> Result<Self, Missing> {
        let folder = std::env::temp_dir().join(format!("helve-oracle-{}", std::process::id()));
        let stage = Self {
            folder,
            git_path: output("git", &["--exec-path"])?,
        };
        stage
            .fill()
            .map_err(|error| Missing(format!("preparing the sandbox failed: {error}")))?;
        stage.build_recorder()?;
        Ok(stage)
    }

    fn fill(&self) -> io::Result<()> {
        for folder in ["bin", "local", "oracle", "root"] {
            fs::create_dir_all(self.folder.join(folder))?;
        }
        for program in REAL {
            if let Some(path) = find(program).filter(|path| is_recorded(path)) {
                fs::copy(path, self.folder.join("bin").join(program))?;
            }
        }
        for (program, paths) in BESIDE_PATH {
            if let Some(path) = paths.iter().map(Path::new).find(|path| path.is_file()) {
                self.place(path, &self.folder.join("local").join(program))?;
            }
        }
        let nothing = find("true").ok_or_else(|| io::Error::other("there is no `true`"))?;
        for program in FAKES {
            fs::copy(&nothing, self.folder.join("bin").join(program))?;
        }
        find("unshare").ok_or_else(|| io::Error::other("there is no `unshare`"))?;
        let setpriv = find("setpriv").ok_or_else(|| io::Error::other("there is no `setpriv`"))?;
        fs::copy(setpriv, self.folder.join("oracle/setpriv"))?;
        fs::copy(std::env::current_exe()?, self.folder.join("oracle/worker"))?;
        fs::write(self.folder.join("sandbox.sh"), include_str!("sandbox.sh"))?;
        for folder in ["", "bin", "local", "oracle", "root"] {
            fs::set_permissions(self.folder.join(folder), fs::Permissions::from_mode(0o755))?;
        }
        Ok(())
    }

    /// Puts a program into the sandbox. One that finds its libraries by its own place stays there: the sandbox has the
    /// folders of libraries.
    fn place(&self, program: &Path, to: &Path) -> io::Result<()> {
        let real = program.canonicalize()?;
        if real.starts_with("/usr/lib") {
            return symlink(real, to);
        }
        let bytes = fs::read(&real)?;
        match bytes.strip_prefix(b"#!/usr/bin/python3") {
            Some(rest) => fs::write(to, [b"#!/usr/local/bin/python3", rest].concat())?,
            None => fs::write(to, bytes)?,
        }
        fs::set_permissions(to, fs::Permissions::from_mode(0o755))
    }

    fn build_recorder(&self) -> Result<(), Missing> {
        let source = self.folder.join("recorder.c");
        let library = self.folder.join("rec.so");
        fs::write(&source, include_str!("recorder.c"))
            .map_err(|error| Missing(error.to_string()))?;
        let built = Command::new("cc")
            .args(["-O2", "-shared", "-fPIC", "-o"])
            .args([&library, &source])
            .arg("-ldl")
            .output()
            .map_err(|error| Missing(format!("there is no C compiler `cc`: {error}")))?;
        if !built.status.success() {
            // This is a fault of the oracle and not of the machine.
            panic!(
                "the recorder does not compile: {}",
                String::from_utf8_lossy(&built.stderr)
            );
        }
        Ok(())
    }

    /// The command that runs a worker in a sandbox of its own.
    pub(crate) fn worker(&self, arguments: &[String]) -> Command {
        let mut command = Command::new("setpriv");
        // A test that is killed leaves no worker behind.
        command.args([
            "--pdeathsig",
            "KILL",
            "unshare",
            "--user",
            "--map-root-user",
            "--mount",
            "--pid",
            "--fork",
            "--kill-child",
            "--net",
            "--ipc",
            "--uts",
        ]);
        command.arg("sh").arg(self.folder.join("sandbox.sh"));
        command
            .arg(self.folder.join("root"))
            .arg(&self.folder)
            .arg(&self.git_path);
        command.args(arguments).stdin(Stdio::null());
        // The owner of the system's files has more rights than the sandbox's read-only mounts should have to take back.
        if fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0) {
            command.uid(65_534).gid(65_534);
        }
        command
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn output(program: &str, arguments: &[&str]) -> Result<String, Missing> {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .map_err(|error| Missing(format!("there is no `{program}`: {error}")))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Finds a program.
fn find(program: &str) -> Option<PathBuf> {
    // Debian calls it otherwise.
    let names: &[&str] = if program == "fd" {
        &["fd", "fdfind"]
    } else {
        &[program]
    };
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path)
        .chain(["/usr/sbin".into(), "/sbin".into()])
        .collect();
    let mut paths = names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    paths.find(|path| path.is_file())
}

/// Reports whether the recorder sees what a program does. A script is run by a shell of the sandbox.
fn is_recorded(path: &Path) -> bool {
    let is_script = || {
        let text = fs::read(path).unwrap_or_default();
        [&b"#!/bin/sh\n"[..], b"#! /bin/sh\n", b"#!/bin/bash\n"]
            .iter()
            .any(|line| text.starts_with(line))
    };
    is_dynamic(path) || is_script()
}

/// Reports whether the recorder is loaded into a program: a static one escapes it.
fn is_dynamic(path: &Path) -> bool {
    const INTERPRETER: usize = 3;
    let Ok(bytes) = fs::read(path) else {
        return false;
    };
    let number = |at: usize, length: usize| {
        let mut value = 0;
        for byte in bytes.get(at..at + length)?.iter().rev() {
            value = (value << 8) | usize::from(*byte);
        }
        Some(value)
    };
    // A 64-bit ELF file of the little end, with an entry for its interpreter.
    if bytes.get(..6) != Some(b"\x7fELF\x02\x01") {
        return false;
    }
    let (Some(table), Some(size), Some(count)) = (number(32, 8), number(54, 2), number(56, 2))
    else {
        return false;
    };
    (0..count).any(|index| number(table + index * size, 4) == Some(INTERPRETER))
}
