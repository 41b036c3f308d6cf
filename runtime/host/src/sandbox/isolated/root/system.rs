//! The parts of the system that commands see: programs and libraries, some settings, no data.

use std::fs::{self, Permissions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::super::mount::{self, MountTree, NO_PRIVILEGES, READ_ONLY, kind_of};

/// Top-level folders; a folder that is a link stays a link.
const TOP_FOLDERS: &[&str] = &[
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix", "/gnu",
];

/// The files of `/etc` that commands see: those that programs need to run, and no secrets.
const SETTINGS: &[&str] = &[
    "alternatives",
    "ca-certificates",
    "ca-certificates.conf",
    "crypto-policies",
    "debian_version",
    "fonts",
    "gitconfig",
    "inputrc",
    "java",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "locale.alias",
    "locale.conf",
    "localtime",
    "magic",
    "mime.types",
    "nix",
    "os-release",
    "pki/ca-trust/extracted",
    "pki/tls/certs",
    "pki/tls/cert.pem",
    "protocols",
    "python3",
    "rpc",
    "services",
    "shells",
    "ssl/cert.pem",
    "ssl/certs",
    "ssl/openssl.cnf",
    "static",
    "terminfo",
    "timezone",
];

/// Folders of a home that contain installed programs, and no credentials.
const TOOLCHAINS: &[&str] = &[
    ".asdf/installs",
    ".asdf/shims",
    ".bun/bin",
    ".cargo/bin",
    ".cargo/git",
    ".cargo/registry",
    ".deno/bin",
    ".ghcup",
    ".juliaup",
    ".local/bin",
    ".local/lib",
    ".local/share/mise",
    ".local/share/uv",
    ".local/share/virtualenvs",
    ".nix-profile",
    ".nvm",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".sdkman/candidates",
    ".volta",
    "anaconda3",
    "go/bin",
    "go/pkg/mod",
    "miniconda3",
];

/// The size of the largest file that is copied, in bytes; a mount costs more than a copy.
const MAX_COPIED_BYTES: u64 = 64 << 10;

/// Lists the toolchains that exist.
pub(in super::super) fn toolchains(home: &Path) -> Vec<PathBuf> {
    let all = TOOLCHAINS.iter().map(|name| home.join(name));
    all.filter(|path| path.exists()).collect()
}

/// Lists the system folders that commands see.
pub(in super::super) fn system_folders() -> Vec<PathBuf> {
    let top = TOP_FOLDERS.iter().map(PathBuf::from);
    let settings = SETTINGS.iter().map(|name| Path::new("/etc").join(name));
    top.chain(settings).collect()
}

/// The opened mounts and files of the system.
#[derive(Debug, Default)]
pub(super) struct SystemTrees {
    mounts: Vec<(PathBuf, OwnedFd)>,
    links: Vec<(PathBuf, PathBuf)>,
    files: Vec<(PathBuf, Vec<u8>)>,
}

/// Opens the parts of the system that commands will see.
pub(super) fn open_system() -> io::Result<SystemTrees> {
    let mut system = SystemTrees::default();
    for path in TOP_FOLDERS {
        system.add_path(Path::new(path))?;
    }
    for name in SETTINGS {
        // Settings that cannot be read are left out.
        let _ = system.add_path(&Path::new("/etc").join(name));
    }
    let quiet =
        NO_PRIVILEGES | READ_ONLY | rustix::mount::MountAttrFlags::MOUNT_ATTR_NOEXEC.bits() as u64;
    let processes = mount::new_filesystem("proc", &[], quiet)?;
    system.mounts.push(("/proc".into(), processes));
    Ok(system)
}

/// Attaches each mount at its path.
pub(super) fn mount_all(inside: &MountTree, mounts: &[(PathBuf, OwnedFd)]) -> io::Result<()> {
    mounts.iter().try_for_each(|(path, tree)| {
        mount::attach(tree, inside.open_mount_point(path, kind_of(tree)?)?)
    })
}

impl SystemTrees {
    fn add_path(&mut self, path: &Path) -> io::Result<()> {
        let found = match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            found => found?,
        };
        if found.is_symlink() {
            self.links.push((path.to_owned(), fs::read_link(path)?));
        } else if found.is_file() && found.len() <= MAX_COPIED_BYTES {
            self.files.push((path.to_owned(), fs::read(path)?));
        } else if found.is_file() || found.is_dir() {
            let tree = mount::clone_tree(path)?;
            mount::set_attributes(&tree, NO_PRIVILEGES | READ_ONLY)?;
            self.mounts.push((path.to_owned(), tree));
        }
        Ok(())
    }

    /// Mounts the system into the root, which is empty and still visible to this process only.
    pub(super) fn mount(
        self,
        inside: &MountTree,
        stage: &Path,
        user: u32,
        group: u32,
        home: &Path,
    ) -> io::Result<()> {
        let staged = |path: &Path| stage.join(path.strip_prefix("/").unwrap_or(path));
        for folder in ["etc", "run", "var/tmp", "proc"] {
            fs::create_dir_all(stage.join(folder))?;
        }
        let masked = stage.join("run/masked");
        fs::create_dir_all(masked.join("folder"))?;
        fs::write(masked.join("file"), "")?;
        for name in ["folder", "file"] {
            fs::set_permissions(masked.join(name), Permissions::from_mode(0o000))?;
        }
        for (path, target) in self.links {
            create_parents(&staged(&path))?;
            symlink(target, staged(&path))?;
        }
        for (path, bytes) in self.files {
            create_parents(&staged(&path))?;
            fs::write(staged(&path), bytes)?;
        }
        let home = home.display();
        for (name, text) in [
            (
                "passwd",
                &*format!("user:x:{user}:{group}:user:{home}:/bin/sh\n"),
            ),
            ("group", &*format!("user:x:{group}:\n")),
            (
                "hosts",
                "127.0.0.1 localhost sandbox\n::1 localhost sandbox\n",
            ),
            ("hostname", "sandbox\n"),
            (
                "nsswitch.conf",
                "passwd: files\ngroup: files\nhosts: files dns\n",
            ),
        ] {
            fs::write(stage.join("etc").join(name), text)?;
        }
        mount_all(inside, &self.mounts)
    }
}

fn create_parents(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)
}
