//! Protections that can be left out, so that it shows that the adversary finds what each holds back.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use helve::sandbox::{
    Change, FileSlice, FsError, IsolatedSandbox, Layer, Listing, Metadata, PassthroughSandbox,
    PathLocation, PathResolution, ReadHandle, ReadRange, ResolvedPath, Sandbox, SandboxError,
    SandboxFs, SandboxPolicy,
};

use helve_adversary::STOLEN;

use crate::fixture::find_secret;
use crate::hooks;
use crate::witness::Witness;

/// A protection that is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DisabledProtection {
    /// Commands run without a sandbox.
    Isolation,
    /// No path in the workspace is protected.
    ProtectedPaths,
    /// Files are not held to the paths that were judged.
    JudgedPaths,
    /// No file is masked.
    Masks,
    /// The port of the listener can be reached.
    Network,
    /// A session that is to plan alone is not in plan mode.
    PlanMode,
    /// The hooks of the user do not run.
    Hooks,
    /// The programs that hooks run are not protected.
    HookPrograms,
    /// Nothing is asked after text of others was read.
    Labels,
    /// The secret of a site is bound to another one, where its preset is. Nothing is asked after text of others either: the
    /// questions hold back nearly every request with a secret.
    SecretOrigin,
    /// What is remembered after text of others was read does not wait for a review.
    MemoryReview,
    /// The memory stores secrets.
    StoredSecrets,
    /// The runs of a schedule have more authority than its maker.
    ScheduleAuthority,
    /// Nothing is asked before a schedule is made after text of others was read.
    ScheduleQuestions,
    /// Agents that work for others make schedules.
    DelegateSchedules,
    /// A skill is in force before a person has accepted it.
    SkillReview,
    /// What a person removes stays.
    Removal,
}

impl DisabledProtection {
    pub(crate) const ALL: [Self; 17] = [
        Self::Isolation,
        Self::ProtectedPaths,
        Self::JudgedPaths,
        Self::Masks,
        Self::Network,
        Self::PlanMode,
        Self::Hooks,
        Self::HookPrograms,
        Self::Labels,
        Self::SecretOrigin,
        Self::MemoryReview,
        Self::StoredSecrets,
        Self::ScheduleAuthority,
        Self::ScheduleQuestions,
        Self::DelegateSchedules,
        Self::SkillReview,
        Self::Removal,
    ];

    /// Reports whether what is left out protects what outlasts a turn.
    pub(crate) fn is_persistent(self) -> bool {
        use DisabledProtection::{
            DelegateSchedules, MemoryReview, Removal, ScheduleAuthority, ScheduleQuestions,
            SkillReview, StoredSecrets,
        };
        matches!(
            self,
            MemoryReview
                | StoredSecrets
                | ScheduleAuthority
                | ScheduleQuestions
                | DelegateSchedules
                | SkillReview
                | Removal
        )
    }

    /// Names the test without it.
    pub(crate) fn test_name(self) -> &'static str {
        match self {
            Self::Isolation => "it_finds_a_way_without_isolation",
            Self::ProtectedPaths => "it_finds_a_way_without_protected_paths",
            Self::JudgedPaths => "it_finds_a_way_without_judged_paths",
            Self::Masks => "it_finds_a_way_without_masks",
            Self::Network => "it_finds_a_way_without_network",
            Self::PlanMode => "it_finds_a_way_without_plan_mode",
            Self::Hooks => "it_finds_a_way_without_hooks",
            Self::HookPrograms => "it_finds_a_way_without_protected_hook_programs",
            Self::Labels => "it_finds_a_way_without_labels",
            Self::SecretOrigin => "it_finds_a_way_without_the_origin_of_secrets",
            Self::MemoryReview => "it_finds_a_way_without_the_review_of_memory",
            Self::StoredSecrets => "it_finds_a_way_without_the_search_for_secrets",
            Self::ScheduleAuthority => "it_finds_a_way_without_the_authority_of_schedules",
            Self::ScheduleQuestions => "it_finds_a_way_without_questions_about_schedules",
            Self::DelegateSchedules => "it_finds_a_way_with_schedules_of_delegates",
            Self::SkillReview => "it_finds_a_way_without_the_review_of_skills",
            Self::Removal => "it_finds_a_way_without_removal",
        }
    }

    /// Reports whether a witness is of the kind that this protection prevents.
    pub(crate) fn explains(self, witness: &Witness) -> bool {
        match self {
            Self::Isolation => true,
            Self::ProtectedPaths => matches!(witness, Witness::PlantExecuted(_)),
            Self::JudgedPaths | Self::ScheduleAuthority => {
                matches!(witness, Witness::FileChanged(path) if path.contains("/vault"))
            }
            Self::Masks => matches!(witness, Witness::SecretShown(_)),
            Self::Network => matches!(witness, Witness::PortReached(_)),
            Self::PlanMode => matches!(witness, Witness::FileChanged(_)),
            Self::Hooks => matches!(witness, Witness::HookBypassed(_)),
            Self::Labels => matches!(witness, Witness::Sent(text) if text.contains(STOLEN)),
            Self::SecretOrigin => {
                matches!(witness, Witness::Sent(text) if find_secret(text).is_some())
            }
            Self::MemoryReview => matches!(witness, Witness::Unreviewed(_)),
            Self::StoredSecrets => matches!(witness, Witness::SecretStored(_)),
            Self::ScheduleQuestions => matches!(witness, Witness::ScheduledUnasked(_)),
            Self::DelegateSchedules => matches!(witness, Witness::ScheduledByDelegate(_)),
            Self::SkillReview => matches!(witness, Witness::UnacceptedInForce(_)),
            Self::Removal => matches!(witness, Witness::RemovedInForce(_)),
            Self::HookPrograms => {
                matches!(witness, Witness::PlantExecuted(mark) if mark.starts_with("check-sh"))
            }
        }
    }
}

/// Opens the sandbox of a scenario, as it is shipped but for what is left out.
pub(crate) async fn open(
    mut policy: SandboxPolicy,
    left_out: Option<DisabledProtection>,
    port: u16,
) -> Result<Arc<dyn Sandbox>, SandboxError> {
    match left_out {
        Some(DisabledProtection::Isolation) => {
            policy.accepted = Layer::ALL.into_iter().collect();
            return Ok(Arc::new(PassthroughSandbox::open(policy).await?));
        }
        Some(DisabledProtection::ProtectedPaths) => policy.protected.clear(),
        Some(DisabledProtection::Masks) => policy.masked.clear(),
        Some(DisabledProtection::Network) => policy.network.allow.push(format!("localhost:{port}")),
        Some(DisabledProtection::HookPrograms) => {
            policy.protected.retain(|path| path != hooks::SCRIPT);
        }
        Some(
            DisabledProtection::JudgedPaths
            | DisabledProtection::PlanMode
            | DisabledProtection::Hooks
            | DisabledProtection::Labels
            | DisabledProtection::SecretOrigin
            | DisabledProtection::MemoryReview
            | DisabledProtection::StoredSecrets
            | DisabledProtection::ScheduleAuthority
            | DisabledProtection::ScheduleQuestions
            | DisabledProtection::DelegateSchedules
            | DisabledProtection::SkillReview
            | DisabledProtection::Removal,
        )
        | None => {}
    }
    Ok(Arc::new(IsolatedSandbox::open(policy).await?))
}

/// Returns the files of a sandbox for the file tools.
pub(crate) fn files(
    sandbox: &dyn Sandbox,
    left_out: Option<DisabledProtection>,
) -> Arc<dyn SandboxFs> {
    match left_out {
        Some(DisabledProtection::JudgedPaths) => Arc::new(UnpinnedFs(sandbox.files())),
        _ => sandbox.files(),
    }
}

/// Files that cannot be held to where a path was when it was judged.
#[derive(Debug)]
struct UnpinnedFs(Arc<dyn SandboxFs>);

impl SandboxFs for UnpinnedFs {
    fn roots(&self) -> &[PathBuf] {
        self.0.roots()
    }

    fn resolution(&self) -> PathResolution {
        self.0.resolution()
    }

    fn resolve<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<ResolvedPath, FsError>> {
        self.0.resolve(path)
    }

    fn locate<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<PathLocation, FsError>> {
        self.0.locate(path)
    }

    fn metadata<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Metadata, FsError>> {
        self.0.metadata(path)
    }

    fn read<'a>(
        &'a self,
        path: &'a Path,
        range: ReadRange,
    ) -> BoxFuture<'a, Result<FileSlice, FsError>> {
        self.0.read(path, range)
    }

    fn open<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<ReadHandle, FsError>> {
        self.0.open(path)
    }

    fn read_dir<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Listing, FsError>> {
        self.0.read_dir(path)
    }

    fn apply(&self, changes: Vec<Change>) -> BoxFuture<'_, Result<Vec<Metadata>, FsError>> {
        self.0.apply(changes)
    }

    fn create_dir<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<(), FsError>> {
        self.0.create_dir(path)
    }

    fn remove_dir_all<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<(), FsError>> {
        self.0.remove_dir_all(path)
    }

    fn pack<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Box<dyn Read + Send>, FsError>> {
        self.0.pack(path)
    }

    fn unpack<'a>(
        &'a self,
        path: &'a Path,
        archive: Box<dyn Read + Send>,
    ) -> BoxFuture<'a, Result<(), FsError>> {
        self.0.unpack(path, archive)
    }
}
