//! The folders that the cases about skills embed, where the macro looks for them: beside trybuild's own manifest.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

const GOOD: &str = "---\nname: pdf\ndescription: Fills PDF forms.\n---\n\n# PDF\n";

/// Copies the folders of `tests/ui/agents` and `tests/ui/skills`, and makes those that no repository can carry to every
/// system.
pub(crate) fn lay_out() {
    let skills = project().join("skills");
    for name in ["agents", "skills"] {
        let to = project().join(name);
        // What an earlier run left.
        let _ = fs::remove_dir_all(&to);
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/ui")
            .join(name);
        for entry in fs::read_dir(root).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                copy(&path, &to.join(path.file_name().unwrap()));
            }
        }
    }
    contents(&skills);
    sizes(&skills);
    names(&skills);
    links(&skills);
}

/// Where trybuild compiles the cases: the folder of their `CARGO_MANIFEST_DIR`.
fn project() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    target.join("tests/trybuild").join(env!("CARGO_PKG_NAME"))
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// Writes a file, and the folders on its way.
fn write(path: &Path, bytes: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Makes the skill `pdf` of a case, sound so far.
fn good(skills: &Path, case: &str) -> PathBuf {
    let skill = skills.join(case).join("pdf");
    write(&skill.join("SKILL.md"), GOOD);
    skill
}

fn sparse(path: &Path, size: u64) {
    File::create(path).unwrap().set_len(size).unwrap();
}

/// What editors and version control take for no text.
fn contents(skills: &Path) {
    let skill_md = |case: &str| skills.join(case).join("pdf/SKILL.md");
    write(&skill_md("nul"), GOOD.replace("forms", "fo\0rms"));
    let text = GOOD.replace("Fills", "Remplit le N°");
    let latin: Vec<u8> = text.chars().map(|letter| letter as u8).collect();
    write(&skill_md("not_utf8"), latin);
}

/// What is too much.
fn sizes(skills: &Path) {
    const MIB: u64 = 1024 * 1024;
    let long = format!("# {}\n---\n", "long ".repeat(14_000));
    let front_matter = GOOD.replacen("---\n\n", &format!("{long}\n"), 1);
    write(&skills.join("front_matter_size/pdf/SKILL.md"), front_matter);
    sparse(&good(skills, "file_size").join("form.pdf"), 16 * MIB + 1);
    let skill = good(skills, "skill_size");
    for half in ["a.pdf", "b.pdf"] {
        sparse(&skill.join(half), 9 * MIB);
    }
    let skill = good(skills, "file_count");
    for file in 0..512 {
        write(&skill.join(format!("{file}.md")), "");
    }
    for skill in 0..=8192 {
        fs::create_dir_all(skills.join(format!("skill_count/skill-{skill}"))).unwrap();
    }
    let deep = "deep/".repeat(33);
    write(&good(skills, "folder_depth").join(deep).join("file.md"), "");
}

/// What some systems call otherwise, or cannot call at all.
fn names(skills: &Path) {
    let skill = good(skills, "case_collision");
    for name in ["Form.md", "form.md"] {
        write(&skill.join(name), "");
    }
    write(&good(skills, "reserved_name").join("aux.md"), "");
    write(
        &skills.join("skill_md_missing_in_lower_case/pdf/skill.md"),
        GOOD,
    );
    let named = |name: &str| GOOD.replace("name: pdf", &format!("name: {name}"));
    write(&skills.join("name_not_ascii/büro/SKILL.md"), named("büro"));
    // One name, in one code point and in two.
    for folder in ["b\u{fc}ro", "bu\u{308}ro"] {
        write(
            &skills.join("name_twice").join(folder).join("SKILL.md"),
            named(folder),
        );
    }
}

#[cfg(target_os = "linux")]
fn links(skills: &Path) {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::symlink;
    use std::process::Command;

    symlink(
        "../../../Cargo.toml",
        good(skills, "link_leaves").join("secret.md"),
    )
    .unwrap();
    symlink(".", good(skills, "link_cycle").join("again")).unwrap();
    symlink("gone.md", good(skills, "link_dangles").join("fields.md")).unwrap();
    let latin = OsStr::from_bytes(b"N\xb0.md");
    write(&good(skills, "path_not_utf8").join(latin), "");
    // As the administrator one may read everything but what is no file at all.
    let pipe = good(skills, "unreadable").join("pipe");
    assert!(Command::new("mkfifo").arg(pipe).status().unwrap().success());
}

#[cfg(not(target_os = "linux"))]
fn links(_: &Path) {}
