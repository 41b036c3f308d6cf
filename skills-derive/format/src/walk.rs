//! Walks a folder, and finds its skills and their files in sorted order.

mod entries;
mod exclude;
mod links;
mod names;
mod tree;

use std::fs::DirEntry;
use std::path::{Path, PathBuf};

use crate::Profile;
use crate::codes;
use crate::limits::{MAX_COLLECTION, MAX_COLLECTION_FILES, MAX_SKILLS};
use crate::options::Options;
use crate::problem::Finding;
use crate::report::Report;

use entries::{entries, join};

pub(crate) use entries::unreadable;
pub(crate) use exclude::Exclusions;
pub(crate) use tree::{FoundFile, Tree};

/// The file that makes a folder a skill.
pub const SKILL_MD: &str = "SKILL.md";

/// A folder with a SKILL.md.
#[derive(Debug)]
pub(crate) struct SkillFolder {
    /// The folder's name.
    pub(crate) name: String,
    /// The path relative to the folder that is read: the folder's name, or empty for that folder itself.
    pub(crate) relative_path: String,
    /// The path on this machine.
    pub(crate) location: PathBuf,
    /// The manifest file, which may be `skill.md` in some profiles.
    pub(crate) manifest: String,
    pub(crate) tree: Tree,
    /// Whether no error was found so far.
    pub(crate) has_no_errors: bool,
}

impl SkillFolder {
    /// Returns the path of a file, relative to the folder that is read.
    pub(crate) fn path(&self, file: &str) -> String {
        join(&self.relative_path, file)
    }
}

/// Finds the skills in `root`, sorted by name, and their number, including invalid ones.
pub(crate) fn walk(
    root: &Path,
    options: &Options,
    report: &mut Report,
) -> (Vec<SkillFolder>, usize) {
    let exclusions = exclusions(options, report);
    let Some(entries) = list_root(root, report) else {
        return (Vec::new(), 0);
    };
    let mut subfolders = Vec::new();
    for entry in entries {
        // A file beside the skills (a README, a licence) belongs to no skill.
        if !leads_to_folder(&entry) {
            continue;
        }
        match entry.file_name().to_str() {
            Some(name) if exclusions.is_excluded(name, true) => {}
            Some(name) => subfolders.push((name.to_owned(), entry)),
            None => {
                let lossy = entry.file_name().to_string_lossy().into_owned();
                report.skill(&lossy, &lossy, names::not_utf8());
            }
        }
    }
    let found = subfolders.len();
    if found == 0 {
        let finding = Finding::new(codes::NO_SKILLS, "the folder holds no skills");
        report.folder(finding.with_help(format!(
            "a skill is a folder with a {SKILL_MD}, as in `pdf/{SKILL_MD}`"
        )));
    }
    if found > MAX_SKILLS {
        let message = format!("the folder has {found} subfolders; at most {MAX_SKILLS} are read");
        report.folder(Finding::new(codes::SKILL_COUNT, message));
        return (Vec::new(), found);
    }
    let names = subfolders.iter().map(|(name, _)| name.as_str());
    for (name, finding) in names::collisions(names) {
        report.skill(name, name, finding);
    }
    let (mut skills, mut files, mut bytes) = (Vec::new(), 0, 0);
    for (name, entry) in &subfolders {
        let Some(skill) = subfolder(name, entry, options, &exclusions, report) else {
            continue;
        };
        files += skill.tree.files.len();
        bytes += skill.tree.files.iter().map(|file| file.size).sum::<u64>();
        if files > MAX_COLLECTION_FILES || bytes > MAX_COLLECTION {
            let message = format!(
                "up to `{name}` the skills have {files} files and {bytes} bytes; at most {MAX_COLLECTION_FILES} and {MAX_COLLECTION} are read"
            );
            let finding = Finding::new(codes::SKILL_COUNT, message);
            report.folder(finding.with_help("split it into two folders"));
            // At run time the skills within the limits are used; in other profiles none is, so that reading stops.
            if options.profile != Profile::Lenient {
                skills.clear();
            }
            break;
        }
        skills.push(skill);
    }
    (skills, found)
}

/// Finds the files of the single skill in `folder`.
pub(crate) fn single(folder: &Path, options: &Options, report: &mut Report) -> Option<SkillFolder> {
    let exclusions = exclusions(options, report);
    is_folder(folder, report).then_some(())?;
    let named = folder.file_name().map(ToOwned::to_owned);
    // `.` and `..` are not names.
    let named = named.or_else(|| {
        folder
            .canonicalize()
            .ok()?
            .file_name()
            .map(ToOwned::to_owned)
    });
    let name = named.unwrap_or_default().to_string_lossy().into_owned();
    let tree = tree::walk(folder, "", options, &exclusions);
    skill_folder(
        name,
        String::new(),
        folder.to_owned(),
        tree,
        options,
        report,
    )
}

fn exclusions(options: &Options, report: &mut Report) -> Exclusions {
    let (exclusions, findings) = Exclusions::new(&options.exclude);
    findings
        .into_iter()
        .for_each(|finding| report.folder(finding));
    exclusions
}

fn is_folder(folder: &Path, report: &mut Report) -> bool {
    if folder.is_dir() {
        return true;
    }
    let finding = if folder.exists() {
        Finding::new(codes::NOT_A_FOLDER, "this is not a folder")
    } else {
        let finding = Finding::new(codes::FOLDER_MISSING, "the folder does not exist");
        match similar_sibling(folder) {
            Some(name) => {
                let similar = report.sibling(&name);
                finding.with_help(format!("did you mean `{similar}`?"))
            }
            None => finding,
        }
    };
    report.folder(finding);
    false
}

/// Returns the folder beside a missing one whose name is the most similar.
fn similar_sibling(missing: &Path) -> Option<String> {
    let name = missing.file_name()?.to_str()?;
    let siblings = std::fs::read_dir(missing.parent()?).ok()?;
    siblings
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let sibling = entry.file_name().into_string().ok()?;
            entry.path().is_dir().then_some(sibling)
        })
        .map(|sibling| (strsim::osa_distance(name, &sibling), sibling))
        .filter(|(distance, sibling)| *distance <= (sibling.len() / 4).clamp(1, 3))
        .min()
        .map(|(_, sibling)| sibling)
}

fn list_root(root: &Path, report: &mut Report) -> Option<Vec<DirEntry>> {
    if !is_folder(root, report) {
        return None;
    }
    let entries = entries(root);
    entries
        .map_err(|error| report.folder(unreadable(&error)))
        .ok()
}

fn is_link(entry: &DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_symlink())
}

/// Returns whether an entry is a folder, or a symbolic link to a folder.
fn leads_to_folder(entry: &DirEntry) -> bool {
    match is_link(entry) {
        true => entry.path().is_dir(),
        false => entry.file_type().is_ok_and(|kind| kind.is_dir()),
    }
}

/// Collects the files of one subfolder; if it is not a skill, returns `None` and reports the reason.
fn subfolder(
    name: &str,
    entry: &DirEntry,
    options: &Options,
    exclusions: &Exclusions,
    report: &mut Report,
) -> Option<SkillFolder> {
    // Installers link skills into the folders of several hosts, so that links are accepted at run time.
    if options.profile != Profile::Lenient && is_link(entry) {
        report.skill(name, name, links::leaves(&entry.path()));
        return None;
    }
    // At run time a folder may be anything, and a link may lead to a whole disk: the manifest is checked first.
    if options.profile == Profile::Lenient && !holds_manifest(&entry.path()) {
        report.skill(name, name, skill_md_missing(&Tree::default()));
        return None;
    }
    let tree = tree::walk(&entry.path(), name, options, exclusions);
    let name = name.to_owned();
    skill_folder(name.clone(), name, entry.path(), tree, options, report)
}

fn skill_folder(
    name: String,
    below: String,
    location: PathBuf,
    mut tree: Tree,
    options: &Options,
    report: &mut Report,
) -> Option<SkillFolder> {
    let mut sound = true;
    for (path, finding) in tree.findings.drain(..) {
        sound &= report.skill(&name, &join(&below, &path), finding);
    }
    if let Some(finding) = names::reserved_name(&name) {
        sound &= report.skill(&name, &below, finding);
    }
    let Some(manifest) = find_manifest(&tree, options.profile) else {
        report.skill(&name, &below, skill_md_missing(&tree));
        return None;
    };
    if manifest != SKILL_MD {
        let message = format!("`{manifest}` is not found where upper and lower case differ");
        let finding = Finding::new(codes::SKILL_MD_CASE, message);
        let help = format!("rename it to `{SKILL_MD}`");
        sound &= report.skill(&name, &join(&below, &manifest), finding.with_help(help));
    }
    Some(SkillFolder {
        name,
        relative_path: below,
        location,
        manifest,
        tree,
        has_no_errors: sound,
    })
}

/// The file name that some profiles accept in place of [`SKILL_MD`].
const LOWER_CASE: &str = "skill.md";

fn holds_manifest(folder: &Path) -> bool {
    [SKILL_MD, LOWER_CASE]
        .iter()
        .any(|name| folder.join(name).is_file())
}

/// Returns the name of the manifest file.
fn find_manifest(tree: &Tree, profile: Profile) -> Option<String> {
    if tree.file(SKILL_MD).is_some() {
        return Some(SKILL_MD.to_owned());
    }
    let accepted = matches!(profile, Profile::SkillsRef | Profile::Lenient);
    (accepted && tree.file(LOWER_CASE).is_some()).then(|| LOWER_CASE.to_owned())
}

fn skill_md_missing(tree: &Tree) -> Finding {
    let finding = Finding::new(
        codes::SKILL_MD_MISSING,
        format!("the folder has no {SKILL_MD}"),
    );
    let mut paths = tree.files.iter().map(|file| file.path.as_str());
    if let Some(path) = paths
        .clone()
        .find(|path| path.eq_ignore_ascii_case(SKILL_MD))
    {
        return finding.with_help(format!("rename `{path}` to `{SKILL_MD}`"));
    }
    if paths.any(|path| path.ends_with(&format!("/{SKILL_MD}"))) {
        return finding.with_help("there are skills deeper inside: name this folder instead");
    }
    finding.with_help(format!("add a {SKILL_MD}, or move the folder elsewhere"))
}
