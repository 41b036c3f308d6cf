//! Finds the skills among the files of a source.

use std::collections::{BTreeMap, BTreeSet};

use crate::archive::{self, ArchiveKind, EntryKind};
use crate::error::InstallError;
use crate::limits::{MAX_SKILLS, MAX_SOURCE_BYTES};
use crate::tree::{LEFT_OUT, SKILL_MD, SkillTree};

/// The folders in which repositories have their skills, each at most three folders deep.
const CONTAINERS: [&str; 4] = [
    "skills",
    ".agents/skills",
    ".claude/skills",
    ".github/skills",
];

/// The greatest depth of skills in a container, and elsewhere.
const CONTAINER_DEPTH: usize = 3;
const MAX_SKILL_DEPTH: usize = 5;

/// Folders that are not searched: they have copies of other packages, or what was built.
const NOT_SEARCHED: [&str; 5] = [".git", "node_modules", "dist", "build", "__pycache__"];

/// Finds the folders of skills below a folder, of which each path is that of a file. A skill in another skill is a part of
/// it.
///
/// The order of the search is that of other installers: the folder itself, its direct subfolders and the usual containers,
/// then every folder.
pub(crate) fn skill_folders<'p>(paths: impl Iterator<Item = &'p str>, base: &str) -> Vec<String> {
    let folders: BTreeSet<&str> = paths
        .filter_map(folder_of_skill)
        .filter(|folder| is_below(folder, base))
        .collect();
    if folders.contains(base) {
        return vec![base.to_owned()];
    }
    let below = |folder: &str| folder[base.len()..].trim_start_matches('/').to_owned();
    let is_usual = |folder: &&str| {
        let path = below(folder);
        let depth = path.split('/').count();
        let is_contained = CONTAINERS.iter().any(|container| {
            is_below(&path, container) && depth <= container.split('/').count() + CONTAINER_DEPTH
        });
        depth == 1 || is_contained
    };
    let is_searched = |folder: &&str| {
        let path = below(folder);
        path.split('/').count() <= MAX_SKILL_DEPTH
            && !path.split('/').any(|name| NOT_SEARCHED.contains(&name))
    };
    let usual: BTreeSet<&str> = folders
        .iter()
        .copied()
        .filter(is_usual)
        .filter(is_searched)
        .collect();
    let all = match usual.is_empty() {
        true => folders.iter().copied().filter(is_searched).collect(),
        false => usual,
    };
    // By the folders above, since a source can have very many.
    let is_outer = |folder: &&str| {
        let mut above = folder.match_indices('/').map(|(at, _)| &folder[..at]);
        above.all(|above| !all.contains(above))
    };
    let outer = all.iter().copied().filter(is_outer);
    outer.map(str::to_owned).collect()
}

/// Returns the folder of a path that is that of a `SKILL.md`.
fn folder_of_skill(path: &str) -> Option<&str> {
    match path.strip_suffix(SKILL_MD)? {
        "" => Some(""),
        folder => folder.strip_suffix('/'),
    }
}

/// Returns whether a path is a folder, or below it.
fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The skills of a source, by their folders: those that can be read, and the reasons against the others.
pub(crate) type FoundSkills = BTreeMap<String, Result<SkillTree, InstallError>>;

/// Reads the skills of an archive below a folder. Blocks on computation.
pub(crate) fn skills_of_archive(
    bytes: &[u8],
    kind: ArchiveKind,
    base: Option<&str>,
) -> Result<FoundSkills, InstallError> {
    let mut paths = Vec::new();
    archive::visit(bytes, kind, &mut |entry| {
        if matches!(entry.kind, EntryKind::File { .. }) {
            paths.push(entry.path);
        }
        Ok(())
    })?;
    let folders = skill_folders(paths.iter().map(String::as_str), base.unwrap_or_default());
    if folders.len() > MAX_SKILLS {
        let reason = format!(
            "it has {} skills; at most {MAX_SKILLS} are read, name a folder of it",
            folders.len()
        );
        return Err(InstallError::refused("the archive", reason));
    }
    let mut found: FoundSkills = folders
        .into_iter()
        .map(|folder| (folder, Ok(SkillTree::default())))
        .collect();
    let mut bytes_read = 0;
    archive::visit(bytes, kind, &mut |mut entry| {
        let Some((folder, skill)) = found
            .iter_mut()
            .find(|(folder, _)| is_below(&entry.path, folder))
        else {
            return Ok(());
        };
        let path = entry.path[folder.len()..]
            .trim_start_matches('/')
            .to_owned();
        let is_left_out =
            kind == ArchiveKind::Repository && path.split('/').any(|name| LEFT_OUT.contains(&name));
        if path.is_empty() || is_left_out {
            return Ok(());
        }
        let Ok(tree) = skill else { return Ok(()) };
        let inserted = match entry.kind {
            EntryKind::Folder => Ok(()),
            EntryKind::Link => Err(InstallError::refused(
                format!("the file `{}`", crate::error::shown(&path)),
                "it is a symbolic link",
            )),
            EntryKind::File { executable } => {
                let bytes = entry.read()?;
                bytes_read += bytes.len() as u64;
                tree.insert(&path, bytes, executable)
            }
        };
        if let Err(error) = inserted {
            *skill = Err(error);
        }
        match bytes_read > MAX_SOURCE_BYTES {
            true => Err(InstallError::refused(
                "the archive",
                format!(
                    "its skills have more than {} MiB; name a folder of it",
                    MAX_SOURCE_BYTES >> 20
                ),
            )),
            false => Ok(()),
        }
    })?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::skill_folders;

    fn folders(base: &str, paths: &[&str]) -> String {
        skill_folders(paths.iter().copied(), base).join(" ")
    }

    #[test]
    fn skills_are_found_where_repositories_have_them() {
        assert_eq!(folders("", &["SKILL.md", "skills/a/SKILL.md"]), "");
        assert_eq!(skill_folders(["SKILL.md"].into_iter(), "").len(), 1);
        let usual = [
            "skills/a/SKILL.md",
            "skills/.curated/b/SKILL.md",
            "docs/c/SKILL.md",
            "d/SKILL.md",
            "README.md",
        ];
        assert_eq!(folders("", &usual), "d skills/.curated/b skills/a");
        assert_eq!(
            folders("", &["x/y/z/SKILL.md", "x/node_modules/q/SKILL.md"]),
            "x/y/z"
        );
        assert_eq!(
            folders("", &["a/SKILL.md", "a/b/SKILL.md", "ab/SKILL.md"]),
            "a ab"
        );
        // In a time that does not grow with the square of their number.
        let many: Vec<String> = (0..100_000).map(|at| format!("x/{at}/SKILL.md")).collect();
        assert_eq!(
            skill_folders(many.iter().map(String::as_str), "").len(),
            100_000
        );
        assert_eq!(folders("docs", &usual), "docs/c");
        assert_eq!(folders("skills/a", &usual), "skills/a");
        assert_eq!(folders("skil", &usual), "");
    }
}
