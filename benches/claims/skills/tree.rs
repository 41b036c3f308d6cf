//! Folders of skills, generated once below `target`.

use std::fs;
use std::path::Path;

/// The folders: 40 skills of ten files, one small skill, and many small ones.
pub(super) const TREE: &str = "tree";
pub(super) const ONE: &str = "one";
pub(super) const MANY: &str = "many";
pub(super) const MANY_SKILLS: usize = 2_000;

const SKILLS: usize = 40;
const FILES: usize = 9;
const FILE: usize = 28 * 1024;

/// The large folder.
pub(super) struct Tree {
    /// Every file, below the folder of them all.
    pub(super) files: Vec<String>,
    /// How many bytes they have.
    pub(super) bytes: usize,
}

impl Tree {
    /// Writes the folders, unless an earlier run did.
    pub(super) fn lay_out(folder: &Path) -> Self {
        let complete = folder.join("complete");
        let there = complete.is_file();
        if !there {
            let _ = fs::remove_dir_all(folder);
            skill(folder, ONE, 0, "");
            for index in 0..MANY_SKILLS {
                skill(folder, MANY, index, "");
            }
        }
        let mut tree = Self {
            files: Vec::new(),
            bytes: 0,
        };
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        for index in 0..SKILLS {
            let body = "Fill the form, then check every field of it again.\n".repeat(60);
            let mut write = |path: String, contents: &[u8]| {
                if !there {
                    let path = folder.join(&path);
                    fs::create_dir_all(path.parent().unwrap()).unwrap();
                    fs::write(path, contents).unwrap();
                }
                tree.bytes += contents.len();
                tree.files.push(path);
            };
            let name = name(index);
            write(
                format!("{TREE}/{name}/SKILL.md"),
                skill_md(index, &body).as_bytes(),
            );
            for file in 0..FILES {
                let contents: Vec<u8> = (0..FILE).map(|_| random.next()).collect();
                write(format!("{TREE}/{name}/assets/{file}.bin"), &contents);
            }
        }
        fs::write(complete, "").unwrap();
        tree
    }
}

fn name(index: usize) -> String {
    format!("forms-of-kind-{index}")
}

fn skill_md(index: usize, body: &str) -> String {
    let name = name(index);
    format!(
        "---\nname: {name}\ndescription: Fills forms of kind {index}. Use it when one of them is attached.\n---\n{body}"
    )
}

fn skill(folder: &Path, set: &str, index: usize, body: &str) {
    let skill = folder.join(set).join(name(index));
    fs::create_dir_all(&skill).unwrap();
    fs::write(skill.join("SKILL.md"), skill_md(index, body)).unwrap();
}

/// Bytes that neither repeat nor compress, the same in every run (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u8 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as u8
    }
}
