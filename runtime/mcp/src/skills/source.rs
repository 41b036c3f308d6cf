//! The skills of one server, as a source of a catalogue.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, StreamExt as _};
use rmcp::model::{ResourceContents, SKILL_MD};
use sha2::{Digest as _, Sha256};

use super::manifest::Manifest;
use crate::CallError;
use crate::servers::{McpServers, Server};
use crate::tool::shown;
use helve_core::support::lock::Mutex;
use helve_core::tool::{ToolContext, chain_text};
use helve_core::toolset::ToolSource as _;
use helve_permission::acceptances::EntryKind;
use helve_skill::{
    Skill, SkillError, SkillFile, SkillList, SkillOrigin, SkillProblem, SkillSource, parse, scan,
};

/// The number of files that are read concurrently.
const AT_ONCE: usize = 8;

const MOST: usize = 500;

/// The skills of one server that the user has approved.
pub(super) struct ServerSkills {
    servers: McpServers,
    server: Arc<Server>,
    /// The manifests of the last list, by name.
    listed: Mutex<BTreeMap<String, Manifest>>,
}

impl ServerSkills {
    pub(super) fn new(servers: McpServers, server: &Arc<Server>) -> Self {
        Self {
            servers,
            server: Arc::clone(server),
            listed: Mutex::default(),
        }
    }

    fn unavailable(&self, reason: impl Into<String>) -> SkillError {
        SkillError::Unavailable {
            origin: self.origin(),
            reason: reason.into(),
        }
    }

    /// Lists the manifests of the server: the usable ones, and the problems of the others.
    async fn manifests(&self) -> Result<(Vec<Manifest>, Vec<SkillProblem>), SkillError> {
        let skills = match self.server.connection.skills(&ToolContext::new()).await {
            Ok(skills) => skills,
            // The status of the connection reports the error. A list that succeeded before is kept.
            Err(CallError::Connect(_)) if self.listed.lock().is_empty() => {
                return Ok(Default::default());
            }
            Err(error) => return Err(self.unavailable(chain_text(&error))),
        };
        let approved = self.server.approved();
        let is_trusted = self.server.config.trust().definitions;
        let (mut usable, mut problems) = (BTreeMap::new(), Vec::new());
        if skills.len() > MOST {
            let count = skills.len();
            problems.push(SkillProblem::error(format!(
                "it has {count} skills; the first {MOST} are looked at"
            )));
        }
        for skill in skills.iter().take(MOST) {
            let name = shown(skill.name());
            let problem = |why: &str| {
                SkillProblem::error(format!("the skill `{name}` {why}")).with_skill(name.clone())
            };
            let manifest = match Manifest::from_skill(skill) {
                Ok(manifest) => manifest,
                Err(why) => {
                    problems.push(problem(&format!("is unavailable: {why}")));
                    continue;
                }
            };
            let known = approved
                .as_ref()
                .and_then(|approved| approved.entry(EntryKind::Skill, &manifest.name));
            let is_approved = known.map(|known| known.digest == manifest.digest().to_string());
            match is_approved {
                _ if usable.contains_key(&manifest.name) => {
                    problems.push(problem("is there twice; the first is used"))
                }
                _ if is_trusted => drop(usable.insert(manifest.name.clone(), manifest)),
                Some(true) => drop(usable.insert(manifest.name.clone(), manifest)),
                Some(false) => problems.push(problem(
                    "has changed since it was approved, and is left out until it is approved again",
                )),
                None => problems.push(problem(
                    "is left out until you approve what its server says",
                )),
            }
        }
        Ok((usable.into_values().collect(), problems))
    }

    /// Reads the SKILL.md of a skill, and compares it with the manifest of the server.
    async fn skill(&self, manifest: &Manifest) -> Result<Skill, SkillProblem> {
        let problem = |why: String| {
            let name = &manifest.name;
            SkillProblem::error(format!("the skill `{name}` is unavailable: {why}"))
                .with_skill(name.clone())
        };
        let bytes = self.bytes(manifest, SKILL_MD).await.map_err(problem)?;
        let text = String::from_utf8(bytes)
            .map_err(|_| problem("its SKILL.md is not UTF-8".to_owned()))?;
        let parsed = parse(&text);
        let said = parsed.description.as_deref();
        let said = said.map(helve_untrusted::neutralize);
        if parsed.name.as_deref() != Some(&manifest.name)
            || said.as_deref().map(str::trim) != Some(manifest.description.trim())
        {
            let why = "its SKILL.md has another name or description than its server says";
            return Err(problem(why.to_owned()));
        }
        let findings = scan::scan(SKILL_MD, &text);
        let mut skill = Skill::builder(&manifest.name, &manifest.description, self.origin())
            .front_matter(parsed.front_matter)
            .findings(findings)
            .text(text, parsed.body_start);
        for file in &manifest.files {
            skill = skill.file(SkillFile::new(&file.path, file.size, &file.sha256));
        }
        Ok(skill.build())
    }

    /// Reads a file, and checks its size and digest.
    async fn bytes(&self, manifest: &Manifest, path: &str) -> Result<Vec<u8>, String> {
        let Some(file) = manifest.file(path) else {
            return Err(format!("it has no file `{path}`"));
        };
        let connection = &self.server.connection;
        let read = connection
            .read_resource(&file.uri, &ToolContext::new())
            .await;
        let read = read.map_err(|error| chain_text(&error))?;
        let contents = read.contents.into_iter().next();
        let bytes = match contents {
            Some(ResourceContents::TextResourceContents { text, .. }) => text.into_bytes(),
            Some(ResourceContents::BlobResourceContents { blob, .. }) => STANDARD
                .decode(blob)
                .map_err(|error| format!("`{path}` is not base64: {error}"))?,
            _ => return Err(format!("the server returns nothing for `{path}`")),
        };
        if bytes.len() as u64 != file.size || Sha256::digest(&bytes).as_slice() != file.sha256 {
            return Err(format!(
                "`{path}` is not the file that the server described"
            ));
        }
        Ok(bytes)
    }
}

impl SkillSource for ServerSkills {
    fn origin(&self) -> SkillOrigin {
        SkillOrigin::Server {
            name: self.server.config.name().to_string(),
        }
    }

    fn list(&self) -> BoxFuture<'_, Result<SkillList, SkillError>> {
        Box::pin(async move {
            let revision = self.servers.revision();
            let (manifests, mut problems) = self.manifests().await?;
            let reads = manifests.iter().map(|manifest| self.skill(manifest));
            let reads: Vec<_> = reads.collect();
            let read: Vec<_> = stream::iter(reads).buffered(AT_ONCE).collect().await;
            let mut skills = Vec::with_capacity(read.len());
            for skill in read {
                match skill {
                    Ok(skill) => skills.push(skill),
                    Err(problem) => problems.push(problem),
                }
            }
            let listed = manifests
                .into_iter()
                .map(|manifest| (manifest.name.clone(), manifest));
            *self.listed.lock() = listed.collect();
            let list = SkillList::new(skills).with_revision(revision);
            Ok(problems.into_iter().fold(list, SkillList::with_problem))
        })
    }

    fn read<'a>(
        &'a self,
        skill: &'a str,
        path: &'a str,
    ) -> BoxFuture<'a, Result<Cow<'static, [u8]>, SkillError>> {
        Box::pin(async move {
            let manifest = {
                let listed = self.listed.lock();
                let found = listed.get(skill).cloned();
                found
                    .ok_or_else(|| SkillError::unknown(skill, listed.keys().map(String::as_str)))?
            };
            let bytes = self.bytes(&manifest, path).await;
            bytes
                .map(Cow::Owned)
                .map_err(|reason| self.unavailable(reason))
        })
    }

    fn revision(&self) -> BoxFuture<'_, u64> {
        Box::pin(std::future::ready(self.servers.revision()))
    }
}

impl fmt::Debug for ServerSkills {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ServerSkills")
            .field(self.server.config.name())
            .finish()
    }
}
