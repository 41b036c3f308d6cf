//! A project and a home with skills in them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use helve_runtime::skill::{
    EmbeddedFile, EmbeddedSkill, SkillCatalog, SkillFolder, SkillNote, SkillSet, SkillSource,
};
use tempfile::TempDir;

/// A project and a home.
pub(crate) struct Fixture {
    root: TempDir,
}

impl Fixture {
    /// Makes both, empty.
    pub(crate) fn new() -> Self {
        let root = TempDir::new().unwrap();
        for folder in ["project", "home"] {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        Self { root }
    }

    /// Returns a path below the folder that both are in.
    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(below)
    }

    /// Writes a file, and the folders that it is in.
    pub(crate) fn write(&self, path: &str, contents: impl AsRef<[u8]>) -> &Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
        self
    }

    /// Writes a skill with this body into the project's `.agents/skills`.
    pub(crate) fn skill(&self, name: &str, body: &str) -> &Self {
        self.skill_in("project/.agents/skills", name, body)
    }

    /// Writes a skill with this body into a folder of skills.
    pub(crate) fn skill_in(&self, folder: &str, name: &str, body: &str) -> &Self {
        let text = format!("---\nname: {name}\ndescription: Does {name}.\n---\n{body}\n");
        self.write(&format!("{folder}/{name}/SKILL.md"), text)
    }

    /// Returns the sources of both, the project's first.
    pub(crate) fn sources(&self) -> Vec<Arc<dyn SkillSource>> {
        let project = SkillFolder::for_project(&self.path("project"));
        let home = SkillFolder::for_user(&self.path("home"));
        let folders = project.into_iter().chain(home);
        folders
            .map(|folder| Arc::new(folder) as Arc<dyn SkillSource>)
            .collect()
    }

    /// Reads everything.
    pub(crate) async fn catalog(&self) -> SkillCatalog {
        SkillCatalog::new().with_sources(self.sources()).await
    }

    /// Replaces the paths of this world, so that a text is the same in every run.
    pub(crate) fn redact_paths(&self, text: &impl ToString) -> String {
        let text = text.to_string();
        text.replace(&self.path("").display().to_string(), "/")
    }

    /// Writes the notes of a catalogue, one after the other.
    pub(crate) fn notes(&self, catalog: &SkillCatalog) -> String {
        let notes: Vec<_> = catalog.notes().iter().map(SkillNote::to_string).collect();
        self.redact_paths(&notes.join("\n"))
    }
}

/// Returns the names of a catalogue's skills.
pub(crate) fn names(catalog: &SkillCatalog) -> Vec<String> {
    let names = catalog.skills().map(|skill| skill.name().to_owned());
    names.collect()
}

/// Makes an embedded set of skills with these names and bodies.
pub(crate) fn embedded(skills: &[(&str, &str)]) -> &'static SkillSet {
    let skills: Vec<_> = skills
        .iter()
        .map(|(name, body)| skill(name, body))
        .collect();
    leak(SkillSet::new("app", "skills", leak(skills)))
}

fn skill(name: &str, body: &str) -> EmbeddedSkill {
    let front_matter = format!("---\nname: {name}\ndescription: Embedded {name}.\n---\n");
    let source: &'static str = leak(format!("{front_matter}{body}"));
    let file = EmbeddedFile::new("SKILL.md", source.as_bytes(), [1; 32], false, true);
    let name: &'static str = leak(name.to_owned());
    let description: &'static str = leak(format!("Embedded {name}."));
    let files: &'static Vec<_> = leak(vec![file]);
    EmbeddedSkill::new(name, description, source, front_matter.len(), files)
}

fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// Makes a folder that its owner cannot read; false where the tests run as somebody who can read everything.
#[cfg(unix)]
pub(crate) fn make_unreadable(folder: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o000)).unwrap();
    fs::read_dir(folder).is_err()
}
