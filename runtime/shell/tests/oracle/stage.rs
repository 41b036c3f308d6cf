//! What the sandbox is built from: the programs that lines may run, the recorder, the worker.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Programs of the machine, where it has them.
const REAL: &[&str] = &[
    "[",
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
    "comm",
    "cp",
    "csplit",
    "cut",
    "date",
    "dash",
    "dd",
    "df",
    "diff",
    "dircolors",
    "dirname",
    "du",
    "echo",
    "egrep",
    "env",
    "expand",
    "expr",
    "factor",
    "false",
    "fgrep",
    "file",
    "find",
    "fmt",
    "fold",
    "getconf",
    "git",
    "grep",
    "groups",
    "gzip",
    "head",
    "hexdump",
    "hostname",
    "id",
    "install",
    "join",
    "jq",
    "kill",
    "less",
    "link",
    "ln",
    "ls",
    "mawk",
    "md5sum",
    "mkdir",
    "mkfifo",
    "mktemp",
    "mv",
    "netstat",
    "nice",
    "nl",
    "nm",
    "nohup",
    "nproc",
    "numfmt",
    "od",
    "paste",
    "pathchk",
    "pr",
    "printenv",
    "printf",
    "ps",
    "ptx",
    "pwd",
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
    "sha256sum",
    "sha512sum",
    "shred",
    "shuf",
    "sleep",
    "sort",
    "split",
    "stat",
    "stdbuf",
    "strings",
    "stty",
    "sum",
    "sync",
    "tac",
    "tail",
    "tar",
    "tee",
    "test",
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
    "uptime",
    "users",
    "vdir",
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
    "pwn",
    "curl",
    "wget",
    "nc",
    "ssh",
    "scp",
    "rsync",
    "sudo",
    "su",
    "python3",
    "python",
    "perl",
    "ruby",
    "node",
    "npm",
    "npx",
    "yarn",
    "pnpm",
    "cargo",
    "rustc",
    "make",
    "docker",
    "kubectl",
    "go",
    "gradle",
    "mvn",
    "bundle",
    "uv",
    "pip",
    "apt",
    "systemctl",
    "mount",
    "vim",
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
        for folder in ["bin", "oracle", "root"] {
            fs::create_dir_all(self.folder.join(folder))?;
        }
        for program in REAL {
            if let Some(path) = find(program).filter(|path| is_dynamic(path)) {
                fs::copy(path, self.folder.join("bin").join(program))?;
            }
        }
        let nothing = find("true").ok_or_else(|| io::Error::other("there is no `true`"))?;
        for program in FAKES {
            fs::copy(&nothing, self.folder.join("bin").join(program))?;
        }
        let setpriv = find("setpriv").ok_or_else(|| io::Error::other("there is no `setpriv`"))?;
        fs::copy(setpriv, self.folder.join("oracle/setpriv"))?;
        fs::copy(std::env::current_exe()?, self.folder.join("oracle/worker"))?;
        fs::write(self.folder.join("sandbox.sh"), include_str!("sandbox.sh"))?;
        for folder in ["", "bin", "oracle", "root"] {
            fs::set_permissions(self.folder.join(folder), fs::Permissions::from_mode(0o755))?;
        }
        Ok(())
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
        let mut command = Command::new("unshare");
        command.args([
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

fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .chain(["/usr/sbin".into(), "/sbin".into()])
        .map(|folder| folder.join(program))
        .find(|path| path.is_file())
}

/// Reports whether the recorder is loaded into a program: a static one escapes it, and a script is none.
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
