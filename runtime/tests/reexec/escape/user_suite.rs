//! What all cases of one user share: who it is, the compiled programs, the listeners, and a project to copy.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::escape::listeners::Listeners;

/// The folder of a half, and the name of its user, in the environment.
pub(crate) const FOLDER_VARIABLE: &str = "HELVE_ESCAPE_FOLDER";
/// The programs of the attacks, in the environment.
pub(crate) const TOOLS_VARIABLE: &str = "HELVE_ESCAPE_TOOLS";
/// A variable of the app that no command may see.
pub(crate) const TOKEN_VARIABLE: &str = "HELVE_ESCAPE_API_TOKEN";

/// The suite as one user runs it.
pub(crate) struct UserSuite {
    /// Whether this user is root.
    pub(crate) root: bool,
    /// The home folder, below which everything of this half lies.
    pub(crate) home: PathBuf,
    /// The compiled programs.
    pub(crate) tools: PathBuf,
    /// What no command may read.
    pub(crate) secret: String,
    /// Who listens outside.
    pub(crate) listeners: Listeners,
    /// What drives the sandbox.
    pub(crate) runtime: tokio::runtime::Runtime,
    /// A file that was left open for whoever inherits descriptors.
    _left_open: fs::File,
}

impl UserSuite {
    /// Takes up the half that the environment describes.
    pub(crate) fn from_env() -> Self {
        let folder =
            PathBuf::from(std::env::var_os(FOLDER_VARIABLE).expect("a folder for this half"));
        let tools = PathBuf::from(std::env::var_os(TOOLS_VARIABLE).expect("the programs"));
        let secret = std::env::var(TOKEN_VARIABLE).expect("a secret");
        let home = folder.join("home");
        for (path, text) in [
            (".ssh/key", secret.as_str()),
            (".aws/credentials", &secret),
            (".cargo/credentials.toml", &secret),
            (".config/gh/hosts.yml", &secret),
            (".netrc", &secret),
            (".cargo/bin/tool", "#!/bin/sh\n"),
            (".cargo/registry/index", ""),
            (".local/bin/tool", "#!/bin/sh\n"),
        ] {
            let path = home.join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a home");
            fs::write(path, text).expect("a file at home");
        }
        create_project(&home.join("template"), &secret);
        let open = open_inheritable(&home.join("left-open"), &secret);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        Self {
            root: rustix::process::geteuid().is_root(),
            listeners: Listeners::open(&folder.join("post")),
            home,
            tools,
            secret,
            runtime,
            _left_open: open,
        }
    }

    /// Names the user.
    pub(crate) fn user(&self) -> String {
        match rustix::process::geteuid() {
            id if id.is_root() => "root".to_owned(),
            id => format!("the unprivileged user {}", id.as_raw()),
        }
    }
}

/// Leaves a file open that children inherit, as a careless library does.
fn open_inheritable(path: &Path, secret: &str) -> fs::File {
    fs::write(path, secret).expect("a file to leave open");
    let file = fs::File::open(path).expect("the file");
    rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty()).expect("an inheritable file");
    file
}

/// Lays out a project with a repository, a nested one, and secrets.
fn create_project(folder: &Path, secret: &str) {
    fs::create_dir_all(folder.join("sub/deep")).expect("folders");
    fs::create_dir_all(folder.join("nested")).expect("folders");
    for secret_file in [".env", "sub/deep/.env.local", "sub/deep/server.pem"] {
        fs::write(folder.join(secret_file), secret).expect("a secret");
    }
    for project in ["", "nested"] {
        let project = folder.join(project);
        fs::write(project.join("file"), "one\n").expect("a file");
        git(&project, &["init", "-q", "-b", "main", "--template="]);
        git(&project, &["add", "file"]);
        git(&project, &["commit", "-q", "-m", "first"]);
        fs::create_dir(project.join(".git/hooks")).expect("a folder for hooks");
    }
}

/// Uses git as a person would, without anybody's settings.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> String {
    let done = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .envs(GIT)
        .output();
    done.map(|done| String::from_utf8_lossy(&done.stdout).into_owned())
        .unwrap_or_default()
}

/// Who commits, and that nobody's settings count.
pub(crate) const GIT: [(&str, &str); 6] = [
    ("GIT_AUTHOR_NAME", "a"),
    ("GIT_AUTHOR_EMAIL", "a@example.org"),
    ("GIT_COMMITTER_NAME", "a"),
    ("GIT_COMMITTER_EMAIL", "a@example.org"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
];

/// Makes up a text that nobody guesses.
pub(crate) fn random_text() -> String {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("random bytes");
    format!("{:032x}", u128::from_be_bytes(bytes))
}

/// Copies a folder with its modes.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder to copy").flatten() {
        let target = to.join(entry.file_name());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a file to copy");
        }
    }
}

/// Writes a program.
pub(crate) fn write_program(path: &Path, text: &str) {
    fs::write(path, text).expect("a program");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a program's mode");
}
