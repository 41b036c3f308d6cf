//! Checks the links in the Markdown files of a skill.

use std::collections::BTreeSet;

use crate::body::links::{self, Link, LinkTarget};
use crate::codes;
use crate::problem::{Finding, Position};
use crate::walk::SkillFolder;

/// Checks all links of the SKILL.md and, if they were read, of the other Markdown files.
pub(super) fn check(
    folder: &SkillFolder,
    source: &str,
    body_start: usize,
    texts: &[(String, String)],
) -> Vec<(String, Finding)> {
    let mut findings = Vec::new();
    let of_skill = links::find_links(source, body_start);
    let first_level = judge(folder, &folder.manifest, source, &of_skill, &mut findings);
    let others = texts.iter().filter(|(path, _)| *path != folder.manifest);
    for (path, text) in others {
        let links = links::find_links(text, 0);
        let second_level = judge(folder, path, text, &links, &mut findings);
        if !first_level.iter().any(|(known, _)| known == path) {
            continue;
        }
        for (reference, at) in second_level {
            let known = reference == folder.manifest
                || first_level.iter().any(|(known, _)| *known == reference);
            if !known && reference.ends_with(".md") {
                findings.push((path.clone(), deep(&reference, folder, text, at)));
            }
        }
    }
    findings
}

/// Reports broken links, and returns the targets of the others without duplicates, each with the byte offset of its
/// link.
fn judge(
    folder: &SkillFolder,
    path: &str,
    text: &str,
    links: &[Link],
    findings: &mut Vec<(String, Finding)>,
) -> Vec<(String, usize)> {
    let base = path.rsplit_once('/').map_or("", |(base, _)| base);
    let mut reached = Vec::new();
    let mut seen = BTreeSet::new();
    for link in links {
        let found = match links::resolve(base, &link.target) {
            LinkTarget::External => continue,
            LinkTarget::Outside => Err(escaping(link)),
            LinkTarget::Inside(target) if folder.tree.file(&target).is_some() => Ok(target),
            LinkTarget::Inside(target) if folder.tree.has_folder(&target) || target.is_empty() => {
                continue;
            }
            LinkTarget::Inside(target) => Err(broken(link, &target, folder)),
        };
        if !seen.insert(&link.target) {
            continue;
        }
        match found {
            Ok(target) => reached.push((target, link.at)),
            Err(finding) => {
                let finding = finding.with_position(Position::after(&text[..link.at]));
                findings.push((path.to_owned(), finding));
            }
        }
    }
    reached
}

fn escaping(link: &Link) -> Finding {
    let message = format!("the link `{}` leads out of the skill", link.target);
    Finding::new(codes::ESCAPING_LINK, message)
        .with_help("a skill must contain its own files: add a copy inside the skill")
}

fn broken(link: &Link, target: &str, folder: &SkillFolder) -> Finding {
    let message = format!("the link `{}` leads to no file of the skill", link.target);
    let finding = Finding::new(codes::BROKEN_LINK, message);
    let name = |path: &str| path.rsplit('/').next().map(str::to_lowercase);
    let mut files = folder.tree.files.iter().map(|file| file.path.as_str());
    match files.find(|path| name(path) == name(target)) {
        Some(path) => finding.with_help(format!("there is `{path}`")),
        None => finding.with_help("add the file, or delete the link"),
    }
}

fn deep(reference: &str, folder: &SkillFolder, text: &str, at: usize) -> Finding {
    let message = format!("`{reference}` is reached only from here, two levels deep");
    Finding::new(codes::DEEP_REFERENCE, message)
        .with_position(Position::after(&text[..at]))
        .with_help(format!("link to it from {}, too", folder.manifest))
}
