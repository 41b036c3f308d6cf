//! Lists the folders of skills.

use std::collections::BTreeMap;

use rmcp::model::{DIRECTORY_MIME_TYPE, Resource};

use super::{media_type, uri};
use helve_skill::Skill;

/// Returns the files and folders directly in a folder, sorted by URI; `None` if there is no such folder. The path of the
/// skill's own folder is empty.
pub(super) fn children(skill: &Skill, root: &str, path: &str) -> Option<Vec<Resource>> {
    let prefix = match path {
        "" => String::new(),
        path if path.ends_with('/') => return None,
        path => format!("{path}/"),
    };
    let mut children = BTreeMap::new();
    for file in skill.files() {
        let Some(rest) = file.path.strip_prefix(&prefix) else {
            continue;
        };
        let (name, is_folder) = match rest.split_once('/') {
            Some((name, _)) => (name, true),
            None => (rest, false),
        };
        let uri = uri::join(root, &format!("{prefix}{name}"));
        let mut child = Resource::new(&uri, name);
        if is_folder {
            child.mime_type = Some(DIRECTORY_MIME_TYPE.into());
        } else {
            child.mime_type = media_type::from_path(name).map(Into::into);
            child.size = Some(file.size);
        }
        children.insert(uri, child);
    }
    let children: Vec<_> = children.into_values().collect();
    (!children.is_empty()).then_some(children)
}
