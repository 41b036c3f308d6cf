//! The folder of skills of one test.

use std::fs;
use std::path::PathBuf;

use helve_skill_format::{Collection, Options, Profile, read, read_skill};
use tempfile::TempDir;

/// A valid SKILL.md for a folder `pdf`.
pub(crate) const PDF: &str = "---\nname: pdf\ndescription: Reads PDF files.\n---\n# PDF\n";

/// A temporary folder, called `skills` in messages.
pub(crate) struct World {
    root: TempDir,
    options: Options,
}

impl World {
    /// Creates the files and their folders.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let files: Vec<_> = files
            .iter()
            .map(|(path, text)| (*path, text.as_bytes()))
            .collect();
        Self::of_bytes(&files)
    }

    pub(crate) fn of_bytes(files: &[(&str, &[u8])]) -> Self {
        let world = Self {
            root: TempDir::new().unwrap(),
            options: Options::default(),
        };
        for (path, bytes) in files {
            let path = world.path(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        world
    }

    pub(crate) fn under(mut self, profile: Profile) -> Self {
        self.options.profile = profile;
        self
    }

    pub(crate) fn with(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    pub(crate) fn read(&self) -> Collection {
        read(self.root.path(), "skills", &self.options)
    }

    /// Reads a single skill.
    pub(crate) fn read_skill(&self, folder: &str) -> Collection {
        let shown = format!("skills/{folder}");
        read_skill(&self.path(folder), &shown, &self.options)
    }

    /// Renders all problems, errors and warnings.
    pub(crate) fn problems(&self) -> String {
        rendered(&self.read())
    }
}

pub(crate) fn rendered(collection: &Collection) -> String {
    let problems: Vec<_> = collection
        .problems
        .iter()
        .map(ToString::to_string)
        .collect();
    problems.join("\n")
}

/// Returns the problems of a folder `pdf` with this SKILL.md.
pub(crate) fn problems_of(text: &str) -> String {
    World::new(&[("pdf/SKILL.md", text)]).problems()
}
