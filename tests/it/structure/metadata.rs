//! The packages of the workspace and what they depend on, as cargo says it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

/// The packages of the workspace.
pub(super) struct Workspace {
    packages: BTreeMap<String, Package>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    kind: Option<String>,
    optional: bool,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
    src_path: PathBuf,
}

impl Workspace {
    /// Asks cargo, which needs neither the network nor a build for it.
    pub(super) fn read() -> Self {
        let output = Command::new(env!("CARGO"))
            .args(["metadata", "--no-deps", "--format-version=1", "--offline"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "cargo metadata: {said}");
        let metadata: Metadata = serde_json::from_slice(&output.stdout).unwrap();
        let packages = metadata
            .packages
            .into_iter()
            .map(|package| (package.name.clone(), package));
        Self {
            packages: packages.collect(),
        }
    }

    /// Returns the packages that are libraries, each with its root file.
    pub(super) fn libraries(&self) -> impl Iterator<Item = (&str, &Path)> {
        self.packages.values().filter_map(|package| {
            let is_library = |kind: &String| matches!(kind.as_str(), "lib" | "proc-macro");
            let mut libraries = package
                .targets
                .iter()
                .filter(|target| target.kind.iter().any(is_library));
            let library = libraries.next()?;
            Some((package.name.as_str(), library.src_path.as_path()))
        })
    }

    /// Returns which package depends on which other one of the workspace, tests and benches left out.
    pub(super) fn dependencies(&self) -> BTreeSet<(&str, &str)> {
        self.arrows()
            .map(|(package, dependency)| (package, dependency.name.as_str()))
            .collect()
    }

    fn arrows(&self) -> impl Iterator<Item = (&str, &Dependency)> {
        self.packages.values().flat_map(|package| {
            let dependencies = package.dependencies.iter();
            let of_workspace = dependencies.filter(|dependency| {
                dependency.kind.as_deref() != Some("dev")
                    && self.packages.contains_key(&dependency.name)
            });
            of_workspace.map(|dependency| (package.name.as_str(), dependency))
        })
    }

    /// Draws the packages in Mermaid's language: an arrow for each dependency, dashed where a feature brings it.
    pub(super) fn picture(&self) -> String {
        let arrows: BTreeSet<String> = self
            .arrows()
            .map(|(package, dependency)| {
                let arrow = if dependency.optional { "-.->" } else { "-->" };
                format!("    {package} {arrow} {}\n", dependency.name)
            })
            .collect();
        format!("graph TD\n{}", arrows.into_iter().collect::<String>())
    }
}
