//! The permission checks of the file tools.

use helve::ToolContext;
use helve::permission::paths;
use helve::tool::{Check, CheckReport, Coverage, FileAccess};

use super::grep::GrepOutput;

/// Returns the file that a call reads.
pub(super) fn check_read(
    _: &ToolContext,
    path: &str,
    _: &u64,
    _: &u64,
    _: Option<&str>,
) -> CheckReport {
    Check::Pass.with_accesses([FileAccess::read(path)])
}

/// Matches a rule against the file.
pub(super) fn match_read(
    cx: &ToolContext,
    rule: &str,
    path: &str,
    _: &u64,
    _: &u64,
    _: Option<&str>,
) -> Coverage {
    paths::covers(cx, rule, path)
}

/// Suggests a rule for the folder of the file.
pub(super) fn suggest_read(path: &str, _: &u64, _: &u64, _: Option<&str>) -> Vec<String> {
    paths::suggest(path).into_iter().collect()
}

/// Returns the files that a call changes. A dry run of the call shows the changes.
pub(super) fn edits<'a>(cx: &ToolContext, paths: impl IntoIterator<Item = &'a str>) -> CheckReport {
    let (folder, home) = (cx.working_folder(), cx.home());
    let paths: Vec<&str> = paths.into_iter().collect();
    let absolute = |path: &&str| paths::absolute(path, folder, home).into_owned();
    let edit = Check::Edit {
        paths: paths.iter().map(absolute).collect(),
    };
    edit.with_accesses(paths.into_iter().map(FileAccess::write))
        .with_dry_run_diff()
}

/// Returns the file that `write_file` writes.
pub(super) fn check_write(cx: &ToolContext, path: &str, _: &str) -> CheckReport {
    edits(cx, [path])
}

/// Matches a rule against the file.
pub(super) fn match_write(cx: &ToolContext, rule: &str, path: &str, _: &str) -> Coverage {
    paths::covers(cx, rule, path)
}

/// Suggests a rule for the folder of the file.
pub(super) fn suggest_write(path: &str, _: &str) -> Vec<String> {
    paths::suggest(path).into_iter().collect()
}

/// Returns the file that `edit_file` changes.
pub(super) fn check_edit(cx: &ToolContext, path: &str, _: &str, _: &str, _: &bool) -> CheckReport {
    edits(cx, [path])
}

/// Matches a rule against the file.
pub(super) fn match_edit(
    cx: &ToolContext,
    rule: &str,
    path: &str,
    _: &str,
    _: &str,
    _: &bool,
) -> Coverage {
    paths::covers(cx, rule, path)
}

/// Suggests a rule for the folder of the file.
pub(super) fn suggest_edit(path: &str, _: &str, _: &str, _: &bool) -> Vec<String> {
    paths::suggest(path).into_iter().collect()
}

/// Returns the folder that a call lists.
pub(super) fn check_list(_: &ToolContext, path: &str, _: &u64) -> CheckReport {
    Check::Pass.with_accesses([FileAccess::read(path)])
}

/// Matches a rule against the folder.
pub(super) fn match_list(cx: &ToolContext, rule: &str, path: &str, _: &u64) -> Coverage {
    paths::covers(cx, rule, path)
}

/// Suggests a rule for the folder.
pub(super) fn suggest_list(path: &str, _: &u64) -> Vec<String> {
    paths::suggest_folder(path).into_iter().collect()
}

/// Returns the folder whose names are searched. Only names are returned, so that the pattern is not an access by
/// itself.
pub(super) fn check_glob(_: &ToolContext, _: &str, path: &str) -> CheckReport {
    Check::Pass.with_accesses([FileAccess::read(path)])
}

/// Matches a rule against the folder.
pub(super) fn match_glob(cx: &ToolContext, rule: &str, _: &str, path: &str) -> Coverage {
    paths::covers(cx, rule, path)
}

/// Suggests a rule for the folder.
pub(super) fn suggest_glob(_: &str, path: &str) -> Vec<String> {
    paths::suggest_folder(path).into_iter().collect()
}

/// Returns the folder that `index_folder` reads.
#[cfg(feature = "documents")]
pub(super) fn check_index(_: &ToolContext, path: &str) -> CheckReport {
    Check::Pass.with_accesses([FileAccess::read(path)])
}

/// Matches a rule against the folder.
#[cfg(feature = "documents")]
pub(super) fn match_index(cx: &ToolContext, rule: &str, path: &str) -> Coverage {
    paths::covers(cx, rule, path)
}

/// Suggests a rule for the folder.
#[cfg(feature = "documents")]
pub(super) fn suggest_index(path: &str) -> Vec<String> {
    paths::suggest_folder(path).into_iter().collect()
}

/// Returns the folder whose documents `search_documents` searches.
#[cfg(feature = "documents")]
pub(super) fn check_documents(_: &ToolContext, _: &str, path: &str, _: &usize) -> CheckReport {
    Check::Pass.with_accesses([FileAccess::read(path)])
}

/// Matches a rule against the folder.
#[cfg(feature = "documents")]
pub(super) fn match_documents(
    cx: &ToolContext,
    rule: &str,
    _: &str,
    path: &str,
    _: &usize,
) -> Coverage {
    paths::covers(cx, rule, path)
}

/// Suggests a rule for the folder.
#[cfg(feature = "documents")]
pub(super) fn suggest_documents(_: &str, path: &str, _: &usize) -> Vec<String> {
    paths::suggest_folder(path).into_iter().collect()
}

/// Returns the accesses of a search: its folder, and the paths that its glob names.
#[expect(clippy::too_many_arguments, reason = "they are those of `grep`")]
pub(super) fn check_search(
    _: &ToolContext,
    _: &str,
    path: &str,
    glob: Option<&str>,
    _: &bool,
    _: &GrepOutput,
    _: &usize,
    _: &usize,
) -> CheckReport {
    Check::Pass
        .with_accesses([FileAccess::read(path)])
        .with_accesses(glob_access(path, glob))
}

/// Returns the access that the glob of a search names; `None` for a glob that only excludes.
pub(super) fn glob_access(path: &str, glob: Option<&str>) -> Option<FileAccess> {
    let glob = glob.filter(|glob| !glob.starts_with('!'))?;
    let folder = path.trim_end_matches('/');
    Some(FileAccess::read(format!("{folder}/{}", without_braces(glob))).into_pattern())
}

/// Replaces alternatives in braces by `*`.
fn without_braces(glob: &str) -> String {
    let (mut out, mut depth) = (String::new(), 0_u32);
    for c in glob.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    out.push('*');
                }
            }
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

/// Matches a rule against the searched folder or file.
#[expect(clippy::too_many_arguments, reason = "they are those of `grep`")]
pub(super) fn match_search(
    cx: &ToolContext,
    rule: &str,
    _: &str,
    path: &str,
    _: Option<&str>,
    _: &bool,
    _: &GrepOutput,
    _: &usize,
    _: &usize,
) -> Coverage {
    paths::covers(cx, rule, path)
}

/// Suggests a rule for the searched folder.
pub(super) fn suggest_search(
    _: &str,
    path: &str,
    _: Option<&str>,
    _: &bool,
    _: &GrepOutput,
    _: &usize,
    _: &usize,
) -> Vec<String> {
    paths::suggest_folder(path).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::without_braces;

    #[test]
    fn alternatives_are_anything() {
        assert_eq!(without_braces(".{env,x{y,z}}.*"), ".*.*");
        assert_eq!(without_braces("a}b"), "a}b");
        assert_eq!(without_braces("{a"), "");
    }
}
