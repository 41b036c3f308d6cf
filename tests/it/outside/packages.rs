//! The packages as they are published, unpacked below the target folder, so that a file which a package leaves out fails
//! the tests that build with it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex};

use crate::outside::building::{run, scratch, workspace, write};

static UNPACKED: LazyLock<BTreeMap<String, PathBuf>> = LazyLock::new(unpack);

/// The folder that has all packages, and is a workspace of the programs among them.
pub(crate) fn folder() -> PathBuf {
    LazyLock::force(&UNPACKED);
    scratch().join("packages")
}

/// Returns the folder of a package.
pub(crate) fn folder_of(package: &str) -> &'static Path {
    let found = UNPACKED.get(package);
    found.unwrap_or_else(|| panic!("`{package}` is not published"))
}

/// Makes a workspace of packages in a folder, for which the packages of helve are what crates.io has. It has the versions
/// that the workspace of helve locks.
pub(crate) fn write_workspace(root: &Path, members: &[&str]) {
    let manifest = format!(
        "[workspace]\nresolver = \"3\"\nmembers = {members:?}\n{}",
        patches()
    );
    write(&root.join("Cargo.toml"), &manifest);
    fs::copy(workspace().join("Cargo.lock"), root.join("Cargo.lock")).expect("files can be copied");
}

/// Returns the folder of a package of `tests/crates`, in a copy that depends on the packages as they are published.
pub(crate) fn user(name: &str) -> PathBuf {
    static COPIED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let copy = scratch().join("users").join(name);
    let mut copied = COPIED.lock().expect("no test panics while it copies");
    if copied.insert(name.to_owned()) {
        let fresh = scratch().join("users.fresh").join(name);
        let _ = fs::remove_dir_all(&fresh);
        update(&workspace().join("tests/crates").join(name), &fresh);
        let manifest = fresh.join("Cargo.toml");
        let text = fs::read_to_string(&manifest).expect("the package has a manifest");
        write(&manifest, &manifest_of_user(&text));
        fs::copy(workspace().join("Cargo.lock"), fresh.join("Cargo.lock"))
            .expect("files can be copied");
        update(&fresh, &copy);
    }
    copy
}

/// Makes a manifest that depends on the package as it is published out of one that depends on the workspace.
pub(crate) fn manifest_of_user(text: &str) -> String {
    let published = format!("path = {:?}", folder_of("helve"));
    text.replace("path = \"../../..\"", &published) + &patches()
}

fn patches() -> String {
    let mut patches = String::from("\n[patch.crates-io]\n");
    for (name, folder) in &*UNPACKED {
        patches += &format!("{name} = {{ path = {folder:?} }}\n");
    }
    patches
}

fn unpack() -> BTreeMap<String, PathBuf> {
    let archives = scratch().join("archives");
    let _ = fs::remove_dir_all(archives.join("package"));
    // What is not committed yet is tested, too.
    let mut package = Command::new(workspace().join(".ci/package"));
    let options = ["--no-verify", "--offline", "--allow-dirty"];
    run(package.arg(&archives).args(options)).assert_success();

    let fresh = archives.join("unpacked");
    let _ = fs::remove_dir_all(&fresh);
    fs::create_dir_all(&fresh).expect("folders can be made");
    let root = scratch().join("packages");
    let mut packages = BTreeMap::new();
    for entry in fs::read_dir(archives.join("package")).expect("the packages are there") {
        let archive = entry.expect("the folder can be read").path();
        if archive
            .extension()
            .is_none_or(|extension| extension != "crate")
        {
            continue;
        }
        let mut tar = Command::new("tar");
        run(tar.arg("-xzf").arg(&archive).arg("-C").arg(&fresh)).assert_success();
        let stem = archive
            .file_stem()
            .expect("it has a name")
            .to_string_lossy();
        let name = stem.strip_suffix(concat!("-", env!("CARGO_PKG_VERSION")));
        let name = name.unwrap_or_else(|| panic!("{stem} has another version"));
        let folder = root.join(name);
        update(&fresh.join(&*stem), &folder);
        packages.insert(name.to_owned(), folder);
    }
    assert!(packages.len() > 20, "{packages:?}");
    write(
        &root.join("Cargo.toml"),
        "[workspace]\nresolver = \"3\"\nmembers = [\"helve-new\"]\n",
    );
    packages
}

/// Makes a folder the same as another one. A file that is the same already stays untouched, since cargo compiles what
/// has a new time.
fn update(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("folders can be made");
    for entry in fs::read_dir(to).expect("the folder can be read") {
        let old = entry.expect("the folder can be read");
        let is_there = from.join(old.file_name()).exists();
        if !is_there && old.path().is_dir() {
            fs::remove_dir_all(old.path()).expect("folders can be removed");
        } else if !is_there {
            fs::remove_file(old.path()).expect("files can be removed");
        }
    }
    for entry in fs::read_dir(from).expect("the folder can be read") {
        let new = entry.expect("the folder can be read");
        let (path, to) = (new.path(), to.join(new.file_name()));
        if path.is_dir() {
            update(&path, &to);
            continue;
        }
        let text = fs::read(&path).expect("files can be read");
        if fs::read(&to).is_ok_and(|old| old == text) {
            continue;
        }
        fs::write(&to, text).expect("files can be written");
    }
}

#[test]
fn every_package_has_the_texts_of_its_licences() {
    for (name, folder) in &*UNPACKED {
        for file in ["LICENSE-MIT", "LICENSE-APACHE"] {
            let packed = fs::read(folder.join(file));
            let packed = packed.unwrap_or_else(|error| panic!("{name}: {file}: {error}"));
            let text = fs::read(workspace().join(file)).expect("the licence is there");
            assert!(packed == text, "{name}: {file} is another text");
        }
    }
}
