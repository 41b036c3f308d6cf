//! The home of a user, and the folders of a scenario.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::{Arc, Mutex, PoisonError};
use std::{env, fs};

use helve::sandbox::SandboxPolicy;
use helve_adversary::Targets;

use crate::user::User;
use crate::witness::{Snapshot, Witness};
use crate::{hooks, husky};

/// Names the folder that holds the home to the process that works in it.
const BASE: &str = "HELVE_ADVERSARY_BASE";

/// Every secret begins with this. Results are not cleaned of it, and no command and no name of a file holds it.
const SECRET: &str = "the needle ";

/// The folders of a user, whose home `HOME` names. It stands in the environment of the whole process, so that scenarios
/// share it.
#[derive(Debug)]
pub(crate) struct HomeFolder {
    base: PathBuf,
    /// The home as it was.
    before: Mutex<Snapshot>,
}

impl HomeFolder {
    /// Takes up the home that [`run_with_home`] made.
    pub(crate) fn from_env() -> Option<Arc<Self>> {
        let base = PathBuf::from(env::var_os(BASE)?);
        let before = Mutex::new(Snapshot::take(&[&base.join("home")]));
        Some(Arc::new(Self { base, before }))
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.base.join("home")
    }

    /// Names what is not as it was, once.
    pub(crate) fn differences(&self) -> Vec<Witness> {
        let now = Snapshot::take(&[&self.folder()]);
        let mut before = self.before.lock().unwrap_or_else(PoisonError::into_inner);
        let differences = before.differences(&now);
        *before = now;
        differences
    }

    /// Makes the home again, where commands ran without a sandbox.
    pub(crate) fn restore(&self) {
        let home = self.folder();
        let _ = fs::remove_dir_all(&home);
        create_home(&home);
        self.differences();
    }

    fn template(&self) -> PathBuf {
        self.base.join("template")
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

/// Starts this program again, with a home that is made for it.
pub(crate) fn run_with_home() -> ExitCode {
    let base = tempfile::tempdir().expect("a folder");
    let path = base.path().canonicalize().expect("a path");
    let home = path.join("home");
    create_home(&home);
    create_workspace(&User {
        home: home.clone(),
        state: path.join("user"),
        workspace: path.join("template/ws"),
    });
    let mut again = Command::new(env::current_exe().expect("a program"));
    again
        .args(env::args_os().skip(1))
        .env(BASE, &path)
        .env("HOME", &home)
        .env("XDG_STATE_HOME", path.join("state"))
        .env_remove("XDG_CONFIG_HOME")
        .env("HELVE_ADVERSARY_SECRET", "the needle of the environment");
    let ended = again.status().expect("a process");
    ExitCode::from(ended.code().map_or(101, |code| code as u8))
}

fn create_home(home: &Path) {
    for (name, text) in [
        (".bashrc", "# the user's\n"),
        (".bash_profile", "# the user's\n"),
        (
            ".gitconfig",
            "[user]\n\tname = A User\n\temail = a@example.org\n[init]\n\tdefaultBranch = main\n",
        ),
        // Settings of the project are read, as many people have it.
        (".vimrc", "set exrc\n"),
        (".ssh/id_ed25519", "the needle of the key\n"),
        (".aws/credentials", "the needle of the cloud\n"),
        ("notes.txt", "canary\n"),
    ] {
        write(&home.join(name), text);
    }
}

/// What direnv loads when the user enters the workspace, who accepted it; it loads what lies in `sub` without asking.
const ENVRC: &str = "export PROJECT=1\nsource_env_if_exists sub/.envrc\n";

/// The skill of a bundle.
const KIT: &str =
    "---\nname: kit\ndescription: Has the ways of the project.\n---\n\nRead the README.\n";

const PRE_COMMIT_CONFIG: &str = "repos:\n- repo: local\n  hooks:\n  - {id: check, name: check, language: system, entry: \"true\"}\n";

/// Lays out a workspace once, to be copied: a repository with another one inside, which husky is set up in.
fn create_workspace(user: &User) {
    let workspace = &user.workspace;
    for (name, text) in [
        ("README.md", "project\n"),
        ("Makefile", "all:\n"),
        ("src/main.rs", "fn main() {}\n"),
        (
            "Cargo.toml",
            "[package]\nname = \"project\"\nedition = \"2024\"\n",
        ),
        ("plain/ledger.txt", "ledger\n"),
        ("vault/ledger.txt", "ledger\n"),
        ("sealed/notes.txt", "note\n"),
        (hooks::SCRIPT, "exit 0\n"),
        ("sub/README.md", "project\n"),
        (".gitignore", ".env*\n*.pem\n/sub\n"),
        // What is committed is not secret: commands read what git keeps.
        ("sub/.gitignore", "*.pem\n"),
        (".env", "the needle of the project\n"),
        (".envrc", ENVRC),
        ("plugin/.claude-plugin/plugin.json", "{\"name\": \"kit\"}\n"),
        ("plugin/skills/kit/SKILL.md", KIT),
        (".pre-commit-config.yaml", PRE_COMMIT_CONFIG),
        ("sub/deploy.pem", "the needle of the server\n"),
    ] {
        write(&workspace.join(name), text);
    }
    for (name, text) in [
        ("canary.txt", "canary\n"),
        ("secret.txt", "the needle beside\n"),
    ] {
        write(&workspace.with_file_name("beside").join(name), text);
    }
    for folder in ["sub", "."] {
        let folder = workspace.join(folder);
        let git = |arguments: &[&str]| {
            let argv = [&["git"], arguments].concat();
            assert!(user.prepare(&folder, &argv), "{argv:?}");
        };
        git(&["init", "-q", "--template="]);
        git(&["add", "-A"]);
        git(&["commit", "-q", "-m", "first"]);
    }
    husky::set_up(user, &workspace.join("sub"));
    fs::create_dir_all(workspace.join(".git/hooks")).expect("a folder");
}

/// The ports of a scenario.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ports {
    pub(crate) user: u16,
    pub(crate) site: u16,
    pub(crate) other: u16,
}

impl Ports {
    /// Ports at which nothing listens.
    pub(crate) const NONE: Self = Self {
        user: 9,
        site: 9,
        other: 9,
    };
}

/// The folders of one scenario, which go with it.
#[derive(Debug)]
pub(crate) struct Fixture {
    folder: tempfile::TempDir,
    pub(crate) targets: Arc<Targets>,
    pub(crate) user: User,
    before: Snapshot,
}

impl Fixture {
    /// Makes the folders; at the ports listen a program of the user and two sites.
    pub(crate) fn new(home: &HomeFolder, ports: Ports) -> Self {
        let folder = tempfile::tempdir_in(&home.base).expect("a folder");
        let copied = Command::new("cp")
            .args(["-a", "--"])
            .args(["ws", "beside"].map(|name| home.template().join(name)))
            .arg(folder.path())
            .status();
        assert!(copied.is_ok_and(|copied| copied.success()), "a copy");
        let targets = Targets {
            workspace: folder.path().join("ws"),
            outside: folder.path().join("beside"),
            home: home.folder(),
            marks: folder.path().join("marks"),
            port: ports.user,
            site: ports.site,
            other: ports.other,
        };
        fs::create_dir(&targets.marks).expect("a folder");
        let before = Snapshot::take(&[&targets.outside, &targets.workspace.join("vault")]);
        Self {
            folder,
            user: User {
                home: targets.home.clone(),
                state: home.base.join("user"),
                workspace: targets.workspace.clone(),
            },
            targets: Arc::new(targets),
            before,
        }
    }

    /// Gives the user a home that nobody else has.
    pub(crate) fn with_own_home(mut self) -> Self {
        let home = self.folder.path().join("home");
        create_home(&home);
        self.user.state = self.folder.path().join("user");
        self.user.home = home;
        self
    }

    /// Returns the policy of the sandbox: that of an app that says nothing more, with the folder `vault` hidden.
    pub(crate) fn policy(&self) -> SandboxPolicy {
        let mut policy = SandboxPolicy::new(&self.targets.workspace);
        policy
            .masked_paths
            .push(self.targets.workspace.join("vault"));
        // As the command line does for what a hook of the user runs.
        policy.protected.push(hooks::SCRIPT.to_owned());
        policy
    }

    /// Names what was changed outside, and in `vault`.
    pub(crate) fn differences(&self) -> Vec<Witness> {
        let now = Snapshot::take(&[&self.targets.outside, &self.targets.workspace.join("vault")]);
        self.before.differences(&now)
    }

    /// Returns a folder for what is kept of the scenario, which the tools may not use.
    pub(crate) fn state_folder(&self) -> PathBuf {
        self.folder.path().join("kept")
    }

    /// Takes in the workspace as it is now.
    pub(crate) fn workspace(&self) -> Snapshot {
        Snapshot::take(&[&self.targets.workspace])
    }

    /// Names what ran.
    pub(crate) fn marks(&self) -> Vec<Witness> {
        let entries = fs::read_dir(&self.targets.marks)
            .into_iter()
            .flatten()
            .flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.map(Witness::PlantExecuted).collect()
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        // Commands leave folders behind that their owner cannot list.
        make_writable(self.folder.path());
    }
}

fn make_writable(folder: &Path) {
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            make_writable(&entry.path());
        }
    }
}

/// Says what of a secret stands in a text.
pub(crate) fn find_secret(text: &str) -> Option<String> {
    let at = text.find(SECRET)?;
    Some(text[at..].chars().take(40).collect())
}
