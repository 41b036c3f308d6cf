//! A skill of any source. Cloning a skill is cheap, and an embedded skill is only borrowed.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use helve_skill_format::FrontMatter;
use sha2::{Digest as _, Sha256};

use super::scan::ScanFinding;
use super::{
    DigestInput, EmbeddedSkill, SkillDigest, SkillError, SkillOrigin, SkillSet, SkillSource,
    front_matter,
};

/// The file that every skill must have.
pub(super) const SKILL_MD: &str = "SKILL.md";

/// A skill: instructions for a model, with the files that they refer to.
///
/// Clones share their data. Equal names do not mean equal skills: two values are the same version of
/// the same skill if their [digests](Self::digest) are equal.
#[derive(Clone)]
pub struct Skill(SkillRepr);

#[derive(Clone)]
enum SkillRepr {
    Embedded {
        set: &'static SkillSet,
        skill: &'static EmbeddedSkill,
    },
    Listed {
        skill: Arc<SkillData>,
        source: Option<Arc<dyn SkillSource>>,
    },
}

/// The data of a skill that is not embedded.
struct SkillData {
    name: String,
    description: String,
    origin: SkillOrigin,
    text: Option<SkillText>,
    front_matter: Arc<FrontMatter>,
    files: Vec<SkillFileData>,
    folder: Option<PathBuf>,
    findings: Vec<ScanFinding>,
}

struct SkillText {
    source: String,
    body_start: usize,
}

struct SkillFileData {
    path: String,
    size: u64,
    sha256: [u8; 32],
    executable: bool,
    utf8: bool,
}

impl Skill {
    /// Borrows an embedded skill.
    #[must_use]
    pub const fn from_embedded(set: &'static SkillSet, skill: &'static EmbeddedSkill) -> Self {
        Self(SkillRepr::Embedded { set, skill })
    }

    /// Returns a builder of a skill, for sources.
    pub fn builder(
        name: impl Into<String>,
        description: impl Into<String>,
        origin: SkillOrigin,
    ) -> SkillBuilder {
        SkillBuilder(SkillData {
            name: name.into(),
            description: description.into(),
            origin,
            text: None,
            front_matter: Arc::default(),
            files: Vec::new(),
            folder: None,
            findings: Vec::new(),
        })
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        match &self.0 {
            SkillRepr::Embedded { skill, .. } => skill.name(),
            SkillRepr::Listed { skill, .. } => &skill.name,
        }
    }

    /// Returns what the skill does and when to use it.
    #[must_use]
    pub fn description(&self) -> &str {
        match &self.0 {
            SkillRepr::Embedded { skill, .. } => skill.description(),
            SkillRepr::Listed { skill, .. } => &skill.description,
        }
    }

    /// Returns the origin of the skill.
    #[must_use]
    pub fn origin(&self) -> SkillOrigin {
        match &self.0 {
            SkillRepr::Embedded { set, .. } => SkillOrigin::Embedded {
                package: set.package(),
                folder: set.folder(),
            },
            SkillRepr::Listed { skill, .. } => skill.origin.clone(),
        }
    }

    /// Returns the instructions, the text of the SKILL.md after its front matter, if they are loaded.
    /// Those of a server's skill must be [fetched](Self::instructions) first.
    #[must_use]
    pub fn body(&self) -> Option<&str> {
        match &self.0 {
            SkillRepr::Embedded { skill, .. } => Some(skill.body()),
            SkillRepr::Listed { skill, .. } => {
                let text = skill.text.as_ref()?;
                Some(text.source.get(text.body_start..).unwrap_or_default())
            }
        }
    }

    /// Returns the instructions, and fetches them if they are not loaded.
    ///
    /// # Errors
    ///
    /// If the SKILL.md cannot be read, or is not text.
    pub async fn instructions(&self) -> Result<Cow<'_, str>, SkillError> {
        if let Some(body) = self.body() {
            return Ok(Cow::Borrowed(body));
        }
        let bytes = self.read(SKILL_MD).await?;
        let text = String::from_utf8(bytes.into_owned()).map_err(|_| SkillError::NotText {
            skill: self.name().to_owned(),
            path: SKILL_MD.to_owned(),
        })?;
        let start = front_matter::parse(&text).body_start;
        Ok(Cow::Owned(text.get(start..).unwrap_or_default().to_owned()))
    }

    /// Returns all fields of the front matter. That of an embedded skill is parsed by this call, which
    /// takes some 20 µs.
    #[must_use]
    pub fn front_matter(&self) -> Arc<FrontMatter> {
        match &self.0 {
            SkillRepr::Embedded { skill, .. } => {
                Arc::new(front_matter::parse(skill.source()).front_matter)
            }
            SkillRepr::Listed { skill, .. } => Arc::clone(&skill.front_matter),
        }
    }

    /// Returns whether the skill is also exposed as a tool of its own name.
    #[must_use]
    pub fn is_tool(&self) -> bool {
        match &self.0 {
            SkillRepr::Embedded { skill, .. } => skill.is_tool(),
            SkillRepr::Listed { skill, .. } => skill.front_matter.is_tool(),
        }
    }

    /// Returns whether a model may start the skill. Other skills are not listed for the model.
    #[must_use]
    pub fn is_model_invocable(&self) -> bool {
        match &self.0 {
            SkillRepr::Embedded { skill, .. } => skill.model_invocable(),
            SkillRepr::Listed { skill, .. } => skill.front_matter.model_invocable(),
        }
    }

    /// Returns all files, sorted by path, including the SKILL.md.
    pub fn files(&self) -> impl ExactSizeIterator<Item = SkillFile<'_>> + '_ {
        let count = match &self.0 {
            SkillRepr::Embedded { skill, .. } => skill.files().len(),
            SkillRepr::Listed { skill, .. } => skill.files.len(),
        };
        (0..count).map(|index| self.file_at(index))
    }

    /// Returns the file at exactly this path relative to the skill's folder, as in `scripts/fill.py`.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<SkillFile<'_>> {
        let index = match &self.0 {
            SkillRepr::Embedded { skill, .. } => {
                skill.files().binary_search_by(|file| file.path().cmp(path))
            }
            SkillRepr::Listed { skill, .. } => {
                skill.files.binary_search_by(|file| (*file.path).cmp(path))
            }
        };
        index.ok().map(|index| self.file_at(index))
    }

    fn file_at(&self, index: usize) -> SkillFile<'_> {
        match &self.0 {
            SkillRepr::Embedded { skill, .. } => {
                let file = &skill.files()[index];
                SkillFile {
                    path: file.path(),
                    size: file.size() as u64,
                    sha256: file.sha256(),
                    executable: file.is_executable(),
                    utf8: file.is_utf8(),
                }
            }
            SkillRepr::Listed { skill, .. } => {
                let file = &skill.files[index];
                SkillFile {
                    path: &file.path,
                    size: file.size,
                    sha256: &file.sha256,
                    executable: file.executable,
                    utf8: file.utf8,
                }
            }
        }
    }

    /// Reads the file at exactly this path relative to the skill's folder. Files outside of the skill
    /// cannot be read.
    ///
    /// # Errors
    ///
    /// If the skill has no such file, if its source cannot read the file, or if the file has changed
    /// since it was listed.
    pub async fn read(&self, path: &str) -> Result<Cow<'static, [u8]>, SkillError> {
        let Some(file) = self.file(path) else {
            return Err(SkillError::no_such_file(self, path));
        };
        match &self.0 {
            SkillRepr::Embedded { skill, .. } => match skill.file(path) {
                Some(file) => file.bytes().map(Cow::Borrowed).map_err(SkillError::from),
                None => Err(SkillError::no_such_file(self, path)),
            },
            SkillRepr::Listed { skill, source } => {
                let source = source.as_ref().ok_or_else(|| SkillError::Unavailable {
                    origin: skill.origin.clone(),
                    reason: "the skill came without its source".into(),
                })?;
                let bytes = source.read(&skill.name, path).await?;
                let verified = verify(bytes, *file.sha256).await;
                verified.ok_or_else(|| SkillError::Changed {
                    skill: skill.name.clone(),
                    path: path.to_owned(),
                })
            }
        }
    }

    /// Computes the digest, which identifies this version of the skill.
    #[must_use]
    pub fn digest(&self) -> SkillDigest {
        let files = self.files().map(|file| DigestInput {
            path: file.path,
            executable: file.executable,
            sha256: file.sha256,
        });
        SkillDigest::compute(self.name(), files)
    }

    /// Returns the skill's folder, if the skill is in a folder of this machine.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        match &self.0 {
            SkillRepr::Embedded { .. } => None,
            SkillRepr::Listed { skill, .. } => skill.folder.as_deref(),
        }
    }

    /// Returns the scan findings of the skill. Embedded skills are not scanned.
    #[must_use]
    pub fn findings(&self) -> &[ScanFinding] {
        match &self.0 {
            SkillRepr::Embedded { .. } => &[],
            SkillRepr::Listed { skill, .. } => &skill.findings,
        }
    }

    /// Sets the source of the skill, from which its files are read.
    pub(super) fn with_source(mut self, from: &Arc<dyn SkillSource>) -> Self {
        if let SkillRepr::Listed { source, .. } = &mut self.0 {
            *source = Some(Arc::clone(from));
        }
        self
    }

    /// Returns the embedded skill and its set; `None` if the skill is not embedded.
    #[must_use]
    pub const fn as_embedded(&self) -> Option<(&'static SkillSet, &'static EmbeddedSkill)> {
        match self.0 {
            SkillRepr::Embedded { set, skill } => Some((set, skill)),
            SkillRepr::Listed { .. } => None,
        }
    }
}

/// Returns the bytes if they match the digest: a source may return a newer version than the listed one.
async fn verify(bytes: Cow<'static, [u8]>, sha256: [u8; 32]) -> Option<Cow<'static, [u8]>> {
    /// The greatest size in bytes that is hashed on the async executor, because hashing more would
    /// block other tasks.
    const QUICK: usize = 256 << 10;

    let is_quick = bytes.len() <= QUICK;
    let verify = move || (Sha256::digest(&bytes).as_slice() == sha256).then_some(bytes);
    if is_quick {
        verify()
    } else {
        tokio::task::spawn_blocking(verify).await.ok().flatten()
    }
}

impl fmt::Debug for Skill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Skill")
            .field("name", &self.name())
            .field("origin", &self.origin())
            .field("files", &self.files().len())
            .finish_non_exhaustive()
    }
}

/// The metadata of a skill's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkillFile<'s> {
    /// The path, relative to the skill's folder, with `/` on every system.
    pub path: &'s str,
    /// The size in bytes.
    pub size: u64,
    /// The SHA-256 of the contents.
    pub sha256: &'s [u8; 32],
    /// Whether the file is executable: it has the executable bit, or begins with `#!`.
    pub executable: bool,
    /// Whether the contents are UTF-8.
    pub utf8: bool,
}

impl<'s> SkillFile<'s> {
    /// Creates the metadata of a text file that is not executable.
    #[must_use]
    pub const fn new(path: &'s str, size: u64, sha256: &'s [u8; 32]) -> Self {
        Self {
            path,
            size,
            sha256,
            executable: false,
            utf8: true,
        }
    }
}

/// Builds a skill, for sources.
#[must_use]
pub struct SkillBuilder(SkillData);

impl SkillBuilder {
    /// Sets the text of the SKILL.md, and the byte offset of its body. If the text is not set, it is
    /// read on first use.
    pub fn text(mut self, source: impl Into<String>, body_start: usize) -> Self {
        let source = source.into();
        self.0.text = Some(SkillText { source, body_start });
        self
    }

    /// Sets the front matter.
    pub fn front_matter(mut self, front_matter: FrontMatter) -> Self {
        self.0.front_matter = Arc::new(front_matter);
        self
    }

    /// Adds a file. The SKILL.md must be added, too.
    pub fn file(mut self, file: SkillFile<'_>) -> Self {
        self.0.files.push(SkillFileData {
            path: file.path.to_owned(),
            size: file.size,
            sha256: *file.sha256,
            executable: file.executable,
            utf8: file.utf8,
        });
        self
    }

    /// Sets the skill's folder on this machine, so that sessions without the skill can be denied access
    /// to the folder.
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.0.folder = Some(folder.into());
        self
    }

    /// Adds scan findings.
    pub fn findings(mut self, findings: impl IntoIterator<Item = ScanFinding>) -> Self {
        self.0.findings.extend(findings);
        self
    }

    /// Builds the skill.
    #[must_use]
    pub fn build(mut self) -> Skill {
        self.0.files.sort_by(|a, b| a.path.cmp(&b.path));
        self.0
            .files
            .dedup_by(|later, earlier| later.path == earlier.path);
        Skill(SkillRepr::Listed {
            skill: Arc::new(self.0),
            source: None,
        })
    }
}

impl fmt::Debug for SkillBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SkillBuilder").field(&self.0.name).finish()
    }
}
