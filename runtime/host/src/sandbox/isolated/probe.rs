//! What this machine gives to isolate with.

mod bubblewrap;
mod child;
mod layers;
mod obstacle;
mod primitive;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub(crate) use obstacle::Obstacle;
pub(crate) use primitive::Primitive;

use super::confine::Cgroup;
use crate::sandbox::{Enforcement, Gap, Layer, LayerStatus, Limits, SandboxError, SandboxPolicy};

/// What isolates commands on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mechanism {
    /// Namespaces that this process makes itself.
    Namespaces,
    /// Namespaces that bubblewrap makes.
    Bubblewrap {
        /// Where it is.
        program: PathBuf,
    },
    /// No namespaces: Landlock and seccomp alone.
    Reduced,
}

impl Mechanism {
    /// Returns the name that [`Enforcement`] shows.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Namespaces => "namespaces",
            Self::Bubblewrap { .. } => "bubblewrap",
            Self::Reduced => "landlock (reduced)",
        }
    }
}

/// What this machine gives to isolate with, found out once; it can be sent to a helper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Support {
    missing: BTreeMap<Primitive, Obstacle>,
    landlock: i32,
    root: bool,
    /// What groups limit all processes together, or what is in the way.
    cgroup: Result<String, Obstacle>,
    /// Looked for only where namespaces cannot be made.
    bubblewrap: Option<Result<PathBuf, Obstacle>>,
}

impl Support {
    /// Tries each primitive in a child process. It takes a few milliseconds; blocking.
    pub(crate) fn detect() -> Self {
        let failures = child::try_primitives().unwrap_or_else(|error| {
            // Without an answer nothing is taken for granted.
            let code = error.raw_os_error().unwrap_or(libc::EIO);
            Primitive::ALL.map(|primitive| (primitive, code)).to_vec()
        });
        let mut missing: BTreeMap<_, _> = failures
            .into_iter()
            .map(|(primitive, error)| (primitive, Obstacle::explain(primitive, error)))
            .collect();
        let landlock = child::landlock_version().unwrap_or_else(|error| {
            missing
                .entry(Primitive::Landlock)
                .or_insert_with(|| Obstacle::explain(Primitive::Landlock, error.raw_os_error()));
            0
        });
        let cgroup = Cgroup::create("probe", &Limits::default());
        let cgroup = cgroup.map(|group| group.describe().to_owned());
        let cgroup = cgroup.map_err(|error| Obstacle {
            why: format!("failed to create a control group ({error})"),
            mend: "start this program with `systemd-run --user --scope -p Delegate=yes`".to_owned(),
        });
        let mut support = Self {
            missing,
            landlock,
            root: rustix::process::geteuid().is_root(),
            cgroup,
            bubblewrap: None,
        };
        if !support.has_namespaces() {
            support.bubblewrap = Some(bubblewrap::find());
        }
        support
    }

    /// Chooses what isolates: the best that is there, where every layer holds that is not accepted as missing.
    ///
    /// # Errors
    /// With every gap and its fix if nothing does.
    pub(crate) fn choose(&self, policy: &SandboxPolicy) -> Result<Mechanism, SandboxError> {
        let mut candidates = self.candidates();
        let gaps = |mechanism: &Mechanism| self.gaps(policy, mechanism);
        let chosen = candidates.iter().position(|by| gaps(by).is_empty());
        match chosen {
            Some(chosen) => Ok(candidates.swap_remove(chosen)),
            // The best is what is worth mending.
            None => Err(SandboxError::Isolation {
                missing: gaps(&candidates[0]),
            }),
        }
    }

    /// Returns the version of Landlock's interface.
    pub(crate) fn landlock(&self) -> Result<i32, &Obstacle> {
        match self.missing.get(&Primitive::Landlock) {
            None => Ok(self.landlock),
            Some(obstacle) => Err(obstacle),
        }
    }

    /// Reports whether a group can limit all processes of a sandbox together.
    pub(crate) fn has_cgroups(&self) -> bool {
        self.cgroup.is_ok()
    }

    /// Reports whether something is there that was tried.
    pub(crate) fn has(&self, primitive: Primitive) -> bool {
        !self.missing.contains_key(&primitive)
    }

    fn has_namespaces(&self) -> bool {
        let mut missing = self.missing.keys();
        missing.all(|primitive| *primitive > Primitive::PivotRoot)
    }

    /// Returns what is in the way of a layer.
    fn obstacle(&self, layer: Layer) -> Option<&Obstacle> {
        let mut missing = self.missing.iter();
        let found = missing.find(|(primitive, _)| primitive.layers().contains(&layer));
        found.map(|(_, obstacle)| obstacle)
    }

    /// What can run at all, the best first.
    fn candidates(&self) -> Vec<Mechanism> {
        let mut found = Vec::new();
        if self.has_namespaces() {
            found.push(Mechanism::Namespaces);
        }
        if let Some(Ok(program)) = &self.bubblewrap {
            let program = program.clone();
            found.push(Mechanism::Bubblewrap { program });
        }
        found.push(Mechanism::Reduced);
        found
    }

    fn gaps(&self, policy: &SandboxPolicy, by: &Mechanism) -> Vec<Gap> {
        let enforcement = self.enforcement(policy, by);
        let missing = enforcement.missing().into_iter();
        missing
            .filter(|layer| !policy.accepted.contains(layer))
            .map(|layer| match enforcement.layers.get(&layer) {
                Some(LayerStatus::No { why, mend }) => Gap::new(layer, why, mend),
                Some(LayerStatus::Partly { lacks, mend, .. }) => Gap::new(layer, lacks, mend),
                Some(LayerStatus::Yes { .. }) | None => Gap::new(layer, "not enforced", ""),
            })
            .collect()
    }
}

/// Returns what a sandbox with this policy would enforce on this machine, whether or not it may be opened.
pub(crate) fn probe(policy: &SandboxPolicy) -> Enforcement {
    let support = Support::detect();
    let mechanism = support.choose(policy);
    let mechanism = mechanism.unwrap_or_else(|_| support.candidates().swap_remove(0));
    support.enforcement(policy, &mechanism)
}
