//! The files that lines work on: sources, a repository, names made to be taken for options, a hostile repository.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folders that a line can write to, all of them its own.
pub(crate) const ROOTS: [&str; 3] = ["/w", "/home/u", "/tmp"];

const TEXT: &str = "alpha 1\nbeta 2\ngamma, 3\nrm -rf src\n; touch pwn\n";

/// Files below the working folder, with their text.
const FILES: &[(&str, &str)] = &[
    ("a.txt", TEXT),
    ("b.txt", "one\ntwo\nthree\n"),
    ("data.csv", "x,1\ny,2\n"),
    ("list.txt", "a.txt\nb.txt\n"),
    ("Makefile", "all:\n\ttouch pwn\n"),
    ("README.md", "# Title\n"),
    ("src/main.rs", "fn main() {} // TODO\n"),
    ("src/lib.rs", "pub fn x() {}\n"),
    ("src/deep/mod.rs", "mod y;\n"),
    ("docs/a b.txt", TEXT),
    ("evil/x.sed", "1e touch pwn\n"),
    ("evil/x.awk", "BEGIN { system(\"touch pwn\") }\n"),
    ("-o", TEXT),
    ("-rf", TEXT),
    ("--files0-from=x", TEXT),
    ("--output=pwn", TEXT),
    ("; touch pwn", TEXT),
    ("$(touch pwn)", TEXT),
    ("new\nline", TEXT),
    ("*", TEXT),
    (" ", TEXT),
    ("x", "a.txt\0b.txt"),
    // A folder whose name is a word more, and an option.
    ("odd", TEXT),
    ("odd -opwn/a.txt", TEXT),
    // Split at its blank, the second half is a path to a secret.
    ("a /home/u/.ssh/id", TEXT),
    // What the pattern `de*` becomes.
    ("delete", TEXT),
];

/// Programs below the working folder.
const SCRIPTS: &[(&str, &str)] = &[
    ("x.sh", "#!/bin/sh\ntouch pwn\n"),
    ("bare.sh", "touch pwn\n"),
    ("bin/ls", "#!/bin/sh\ntouch pwn\n"),
    ("1/ls", "#!/bin/sh\ntouch pwn\n"),
];

const SETUP: &str = "
export GIT_CONFIG_NOSYSTEM=1
git config --global user.name u && git config --global user.email u@example.org
git config --global init.defaultBranch main && git config --global safe.directory '*'
cd /w && git init -q --template= . && git add README.md src a.txt 'a ' && git commit -qm first
git branch side && echo more >>README.md && git commit -qam second && git tag v1 && git branch other
git checkout -q side && echo side >>b.txt && git add b.txt && git commit -qm third
git checkout -q main && git merge -q -m fourth side
git cat-file commit HEAD >/tmp/commit
sed '/^committer/a gpgsig -----BEGIN PGP SIGNATURE-----\\n \\n x\\n -----END PGP SIGNATURE-----' /tmp/commit >/tmp/signed
git tag signed \"$(git hash-object -t commit -w /tmp/signed)\" && rm /tmp/commit /tmp/signed
git config pretty.zz '%G?'
git init -q --bare --template= evil.git
git -C evil.git config core.fsmonitor 'touch /w/pwn; false'
git -C evil.git config core.bare false && git -C evil.git config core.worktree /w
git -C evil.git config diff.external 'touch /w/pwn'
git -C evil.git config core.pager 'touch /w/pwn'
cp .git/index evil.git/index; cp -r .git/objects .git/refs evil.git/
ln -s src/main.rs link; ln -s /home/u home-link
";

#[derive(Clone, PartialEq, Eq)]
enum Content {
    Folder,
    File(Vec<u8>),
    Link(PathBuf),
}

/// What changes with every write to a file: the time of its last change cannot be set.
type Stamp = (i64, i64, u64, u32);

/// The files as they were made.
pub(crate) struct Tree {
    entries: BTreeMap<PathBuf, (Content, Stamp)>,
}

impl Tree {
    /// Makes the files and learns them by heart.
    pub(crate) fn make() -> io::Result<Self> {
        for (name, text) in FILES.iter().chain(SCRIPTS) {
            let path = Path::new("/w").join(name);
            fs::create_dir_all(path.parent().unwrap_or(Path::new("/w")))?;
            fs::write(path, text)?;
        }
        for (name, _) in SCRIPTS {
            fs::set_permissions(
                Path::new("/w").join(name),
                fs::Permissions::from_mode(0o755),
            )?;
        }
        let home = Path::new("/home/u");
        fs::write(home.join(".bashrc"), "# nothing\n")?;
        fs::create_dir_all(home.join(".ssh"))?;
        fs::write(home.join(".ssh/id"), "secret\n")?;
        let made = Command::new("/usr/bin/bash")
            .args(["-ec", SETUP])
            .env_clear()
            .envs([("PATH", "/usr/bin"), ("HOME", "/home/u")])
            .output()?;
        if !made.status.success() {
            return Err(io::Error::other(
                String::from_utf8_lossy(&made.stderr).into_owned(),
            ));
        }
        let mut entries = BTreeMap::new();
        walk(&mut |path, metadata| {
            let content = if metadata.is_dir() {
                Content::Folder
            } else if metadata.is_symlink() {
                Content::Link(fs::read_link(path)?)
            } else {
                Content::File(fs::read(path)?)
            };
            entries.insert(path.to_owned(), (content, stamp(metadata)));
            Ok(())
        })?;
        Ok(Self { entries })
    }

    /// Returns what is not as it was made.
    pub(crate) fn damage(&self) -> io::Result<Vec<PathBuf>> {
        let mut damaged = Vec::new();
        let mut seen = 0;
        walk(&mut |path, metadata| {
            match self.entries.get(path) {
                // The time of a folder changes with its entries, which are looked at themselves.
                Some((Content::Folder, known)) if metadata.is_dir() => {
                    seen += 1;
                    if known.3 != metadata.mode() {
                        damaged.push(path.to_owned());
                    }
                }
                Some((content, known))
                    if stamp(metadata) == *known && *content != Content::Folder =>
                {
                    seen += 1;
                }
                _ => damaged.push(path.to_owned()),
            }
            Ok(())
        })?;
        if seen + damaged.len() < self.entries.len() || !damaged.is_empty() {
            let missing = self
                .entries
                .keys()
                .filter(|path| fs::symlink_metadata(path).is_err());
            damaged.extend(missing.cloned());
        }
        Ok(damaged)
    }

    /// Makes everything as it was.
    pub(crate) fn restore(&mut self, damaged: &[PathBuf]) -> io::Result<()> {
        for path in damaged.iter().rev() {
            remove(path)?;
        }
        for (path, (content, known)) in &mut self.entries {
            match fs::symlink_metadata(path) {
                Ok(metadata) if !damaged.contains(path) && metadata.is_dir() => continue,
                Ok(metadata) if !damaged.contains(path) && stamp(&metadata) == *known => continue,
                Ok(_) => remove(path)?,
                Err(_) => {}
            }
            match content {
                Content::Folder => fs::create_dir_all(path)?,
                Content::Link(to) => symlink(&*to, path)?,
                Content::File(bytes) => fs::write(path, bytes)?,
            }
            if *content != Content::Link(PathBuf::new()) && !matches!(content, Content::Link(_)) {
                fs::set_permissions(path, fs::Permissions::from_mode(known.3 & 0o7777))?;
            }
            *known = stamp(&fs::symlink_metadata(path)?);
        }
        Ok(())
    }
}

fn stamp(metadata: &fs::Metadata) -> Stamp {
    (
        metadata.ctime(),
        metadata.ctime_nsec(),
        metadata.size(),
        metadata.mode(),
    )
}

fn remove(path: &Path) -> io::Result<()> {
    let Ok(metadata) = fs::symlink_metadata(path) else {
        return Ok(());
    };
    if metadata.is_dir() {
        // A line may have taken the right to look into it.
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
        if ROOTS.iter().any(|root| Path::new(root) == path) {
            return Ok(());
        }
        for entry in fs::read_dir(path)? {
            remove(&entry?.path())?;
        }
        fs::remove_dir(path)
    } else {
        fs::remove_file(path)
    }
}

fn walk(each: &mut dyn FnMut(&Path, &fs::Metadata) -> io::Result<()>) -> io::Result<()> {
    fn below(
        folder: &Path,
        each: &mut dyn FnMut(&Path, &fs::Metadata) -> io::Result<()>,
    ) -> io::Result<()> {
        each(folder, &fs::symlink_metadata(folder)?)?;
        let Ok(entries) = fs::read_dir(folder) else {
            return Ok(());
        };
        for entry in entries {
            let path = entry?.path();
            let metadata = fs::symlink_metadata(&path)?;
            if metadata.is_dir() {
                below(&path, each)?;
            } else {
                each(&path, &metadata)?;
            }
        }
        Ok(())
    }
    ROOTS
        .iter()
        .try_for_each(|root| below(Path::new(root), each))
}
