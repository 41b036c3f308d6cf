//! Hosts that publish skills: the index of [Agent Skills discovery](https://agentskills.io) 0.2.0, with a digest for each.

use std::collections::BTreeSet;

use serde::Deserialize;
use url::Url;

use super::context::FetchContext;
use super::fetched::{FetchedSkills, OfferedSkill, Revision, sha256, unpack};
use crate::archive::ArchiveKind;
use crate::candidate::SkillCandidate;
use crate::download::Downloader;
use crate::error::{InstallError, shown};
use crate::limits::{
    MAX_ARCHIVE_BYTES, MAX_INDEX_BYTES, MAX_INDEX_ENTRIES, MAX_SKILLS, MAX_SOURCE_BYTES,
};
use crate::source::InstallSource;
use crate::tree::{SKILL_MD, SkillTree};

/// The path of the index of a host.
const INDEX: &str = "/.well-known/agent-skills/index.json";

/// The version of the index in its schema.
const VERSION: &str = "/discovery/0.2.0/";

/// The index of a host.
#[derive(Deserialize)]
struct Index {
    #[serde(rename = "$schema")]
    schema: String,
    skills: Vec<IndexEntry>,
}

#[derive(Deserialize)]
struct IndexEntry {
    name: String,
    #[serde(rename = "type")]
    kind: IndexKind,
    description: String,
    url: String,
    digest: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum IndexKind {
    SkillMd,
    Archive,
}

pub(super) async fn list(
    cx: &FetchContext<'_>,
    source: &InstallSource,
    url: &Url,
) -> Result<Vec<OfferedSkill>, InstallError> {
    let downloader = cx.downloader(source, None)?;
    let (_, index) = read_index(&downloader, url).await?;
    let offered = index.skills.into_iter().map(|entry| OfferedSkill {
        name: entry.name,
        description: entry.description,
    });
    Ok(offered.collect())
}

pub(super) async fn fetch(
    cx: &FetchContext<'_>,
    source: &InstallSource,
    url: &Url,
    names: &[String],
) -> Result<FetchedSkills, InstallError> {
    let downloader = cx.downloader(source, None)?;
    let (address, index) = read_index(&downloader, url).await?;
    let wanted: Vec<&IndexEntry> = index
        .skills
        .iter()
        .filter(|entry| names.is_empty() || names.contains(&entry.name))
        .collect();
    if wanted.len() > MAX_SKILLS {
        let reason = format!("it has {} skills; name those to install", wanted.len());
        return Err(InstallError::refused("the index", reason));
    }
    if wanted.is_empty() {
        let known = index.skills.iter().map(|entry| entry.name.clone());
        return Err(match names.first() {
            Some(name) => InstallError::Unknown {
                name: name.clone(),
                place: "in the index",
                known: known.collect(),
            },
            None => InstallError::NoSkills {
                place: format!("`{source}`"),
            },
        });
    }
    let mut skills = Vec::new();
    let mut problems = Vec::new();
    let mut size = 0;
    for entry in wanted {
        match fetch_entry(cx, source, &downloader, &address, entry).await {
            Ok(skill) => {
                size += skill.tree.size();
                skills.push(skill);
            }
            Err(error) => problems.push(error),
        }
        if size > MAX_SOURCE_BYTES {
            let limit = MAX_SOURCE_BYTES >> 20;
            let reason = format!("its skills have more than {limit} MiB; name those to install");
            return Err(InstallError::refused("the index", reason));
        }
    }
    match problems.pop() {
        Some(problem) if skills.is_empty() => Err(problem),
        last => {
            problems.extend(last);
            let revision = Revision::default();
            Ok(FetchedSkills::from_candidates(
                source, revision, skills, problems,
            ))
        }
    }
}

/// Reads the index of a host, and checks it as a whole.
async fn read_index(downloader: &Downloader<'_>, url: &Url) -> Result<(Url, Index), InstallError> {
    let address = url
        .join(INDEX)
        .map_err(|error| InstallError::fetch(url, error.to_string()))?;
    let bytes = downloader
        .get(&address, "application/json", MAX_INDEX_BYTES)
        .await?;
    let refused = |reason: String| InstallError::refused("the index", reason);
    let index: Index = serde_json::from_slice(&bytes)
        .map_err(|error| refused(format!("it is invalid: {error}")))?;
    if !index.schema.contains(VERSION) {
        let schema = shown(&index.schema);
        return Err(refused(format!(
            "its schema is `{schema}`; discovery 0.2.0 is read"
        )));
    }
    if index.skills.len() > MAX_INDEX_ENTRIES {
        let count = index.skills.len();
        return Err(refused(format!(
            "it has {count} entries; at most {MAX_INDEX_ENTRIES} are read"
        )));
    }
    let mut names = BTreeSet::new();
    for entry in &index.skills {
        let name = shown(&entry.name);
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if entry.name.is_empty() || entry.name.len() > 64 || !entry.name.chars().all(is_name) {
            return Err(refused(format!("`{name}` is no name of a skill")));
        }
        if entry.description.chars().count() > 1_024 {
            return Err(refused(format!("the description of `{name}` is too long")));
        }
        if !names.insert(entry.name.as_str()) {
            return Err(refused(format!("the skill `{name}` is there twice")));
        }
    }
    Ok((address, index))
}

async fn fetch_entry(
    cx: &FetchContext<'_>,
    source: &InstallSource,
    downloader: &Downloader<'_>,
    address: &Url,
    entry: &IndexEntry,
) -> Result<SkillCandidate, InstallError> {
    let refused =
        |reason: String| InstallError::refused(format!("the skill `{}`", entry.name), reason);
    let url = address
        .join(&entry.url)
        .map_err(|error| refused(format!("its address is invalid: {error}")))?;
    let Some(expected) = entry
        .digest
        .strip_prefix("sha256:")
        .filter(|digits| digits.len() == 64)
    else {
        return Err(refused(
            "its digest is not of the form `sha256:…`".to_owned(),
        ));
    };
    let bytes = downloader.get(&url, "*/*", MAX_ARCHIVE_BYTES).await?;
    let actual = sha256(&bytes);
    if !actual.eq_ignore_ascii_case(expected) {
        return Err(refused(format!(
            "its content has the digest sha256:{actual}, and the index says sha256:{}",
            shown(expected)
        )));
    }
    let (folder, tree) = match entry.kind {
        IndexKind::SkillMd => {
            let mut tree = SkillTree::default();
            tree.insert(SKILL_MD, bytes, false)?;
            (String::new(), tree)
        }
        IndexKind::Archive => {
            let mut found = unpack(bytes, ArchiveKind::Skills, None).await?.into_iter();
            match (found.next(), found.next()) {
                (Some((folder, tree)), None) => (folder, tree?),
                (None, _) => return Err(refused("its archive has no `SKILL.md`".to_owned())),
                _ => return Err(refused("its archive has several skills".to_owned())),
            }
        }
    };
    let skill = SkillCandidate::new(tree, &folder, cx.rules(source))?;
    if skill.name != entry.name {
        return Err(refused(format!(
            "its `SKILL.md` has the name `{}`",
            skill.name
        )));
    }
    Ok(skill)
}
