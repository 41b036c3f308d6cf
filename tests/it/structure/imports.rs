//! Which file of a package uses which other one: each path is followed through re-exports to where its item is written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::module::Module;

/// How many re-exports are followed, one after the other.
const DEPTH: usize = 16;

/// The files that each file uses.
pub(super) type Graph = BTreeMap<PathBuf, BTreeSet<PathBuf>>;

/// A package whose imports are looked at.
pub(super) struct Package {
    root: Module,
    /// The names by which the package calls itself, besides `crate`.
    aliases: &'static [&'static str],
}

impl Package {
    /// Reads a package from its root file.
    pub(super) fn read(root: &Path, aliases: &'static [&'static str]) -> Self {
        Self {
            root: Module::read(root),
            aliases,
        }
    }

    pub(super) fn root(&self) -> &Module {
        &self.root
    }

    /// Returns which file uses which other one.
    pub(super) fn graph(&self) -> Graph {
        let mut graph = Graph::new();
        self.root.for_each(&mut |module, path| {
            let used = graph.entry(module.file.clone()).or_default();
            for mention in &module.mentions {
                if let Some(file) = self.definition(path, mention)
                    && file != module.file
                {
                    used.insert(file.to_owned());
                }
            }
        });
        graph
    }

    /// Returns the file of the item that a path in a module names; none for what another package defines, and for modules.
    fn definition(&self, from: &[&str], mention: &[String]) -> Option<&Path> {
        self.resolve(&self.absolute(from, mention)?, DEPTH)
    }

    /// Returns a path from the root of the package.
    fn absolute(&self, from: &[&str], mention: &[String]) -> Option<Vec<String>> {
        let owned = |path: &[&str]| {
            path.iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<_>>()
        };
        let (first, rest) = mention.split_first()?;
        let mut path = match first.as_str() {
            "crate" => Vec::new(),
            "self" => owned(from),
            "super" => owned(from.split_last()?.1),
            name if self.aliases.contains(&name) => Vec::new(),
            name => {
                let module = self.module(from)?;
                let is_here = module.children.contains_key(name)
                    || module.imports.contains_key(name)
                    || module.items.contains(name);
                if !is_here {
                    return None;
                }
                let mut path = owned(from);
                path.push(name.to_owned());
                path
            }
        };
        let mut rest = rest;
        while let Some((first, after)) = rest.split_first()
            && first == "super"
        {
            path.pop();
            rest = after;
        }
        path.extend(rest.iter().cloned());
        Some(path)
    }

    fn module(&self, path: &[&str]) -> Option<&Module> {
        let mut module = &self.root;
        for name in path {
            module = module.children.get(*name)?;
        }
        Some(module)
    }

    fn resolve(&self, path: &[String], depth: usize) -> Option<&Path> {
        let depth = depth.checked_sub(1)?;
        let mut module = &self.root;
        let mut before = Vec::new();
        for (at, name) in path.iter().enumerate() {
            if let Some(child) = module.children.get(name) {
                module = child;
                before.push(name.as_str());
                continue;
            }
            let rest = &path[at + 1..];
            if module.items.contains(name) {
                return Some(&module.file);
            }
            if let Some(import) = module.imports.get(name) {
                let import = import.clone();
                let mut target = self.outside_itself(&before, &import)?;
                target.extend(rest.iter().cloned());
                return self.resolve(&target, depth);
            }
            return module.globs.iter().find_map(|glob| {
                let mut target = self.outside_itself(&before, glob)?;
                target.extend(path[at..].iter().cloned());
                self.resolve(&target, depth)
            });
        }
        None
    }

    /// As [`Package::absolute`], for a `use`: its first name is no import of the same module.
    fn outside_itself(&self, from: &[&str], import: &[String]) -> Option<Vec<String>> {
        let first = import.first()?;
        let module = self.module(from)?;
        let is_import = module
            .imports
            .get(first)
            .is_some_and(|path| path.as_slice() == import);
        if is_import && !module.children.contains_key(first) {
            return None;
        }
        self.absolute(from, import)
    }
}
