//! Detects the isolation primitives that this machine supports.

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
use crate::sandbox::layer_status::gaps;
use crate::sandbox::{Enforcement, Gap, Layer, Limits, SandboxError, SandboxPolicy};

/// The mechanism that isolates commands on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mechanism {
    /// Namespaces that the supervisor creates itself.
    Namespaces,
    /// Namespaces that bubblewrap creates.
    Bubblewrap {
        /// The path of bubblewrap.
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

/// The isolation primitives that this machine supports, detected once; the value can be sent to a helper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Support {
    missing: BTreeMap<Primitive, Obstacle>,
    landlock: i32,
    root: bool,
    /// The control groups that limit all processes together, or the obstacle.
    cgroup: Result<String, Obstacle>,
    /// The path of bubblewrap. It is searched only if namespaces cannot be created.
    bubblewrap: Option<Result<PathBuf, Obstacle>>,
}

impl Support {
    /// Tries each primitive in a child process. This takes a few milliseconds and blocks.
    pub(crate) fn detect() -> Self {
        let failures = child::try_primitives().unwrap_or_else(|error| {
            // Without a report, no primitive is assumed to work.
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

    /// Chooses the best available mechanism with which every layer holds that the policy requires.
    ///
    /// # Errors
    /// Fails with every missing layer and its fix if there is no such mechanism.
    pub(crate) fn choose(&self, policy: &SandboxPolicy) -> Result<Mechanism, SandboxError> {
        let mut candidates = self.candidates();
        let gaps = |mechanism: &Mechanism| self.gaps(policy, mechanism);
        let chosen = candidates.iter().position(|by| gaps(by).is_empty());
        match chosen {
            Some(chosen) => Ok(candidates.swap_remove(chosen)),
            // The error describes the best mechanism, which is the one that is worth fixing.
            None => Err(SandboxError::Isolation {
                missing: gaps(&candidates[0]),
            }),
        }
    }

    /// Returns the version of the Landlock ABI.
    pub(crate) fn landlock(&self) -> Result<i32, &Obstacle> {
        match self.missing.get(&Primitive::Landlock) {
            None => Ok(self.landlock),
            Some(obstacle) => Err(obstacle),
        }
    }

    /// Reports whether a control group can limit all processes of a sandbox together.
    pub(crate) fn has_cgroups(&self) -> bool {
        self.cgroup.is_ok()
    }

    /// Reports whether a primitive works.
    pub(crate) fn has(&self, primitive: Primitive) -> bool {
        !self.missing.contains_key(&primitive)
    }

    fn has_namespaces(&self) -> bool {
        let mut missing = self.missing.keys();
        missing.all(|primitive| *primitive > Primitive::PivotRoot)
    }

    /// Returns the obstacle of a layer.
    fn obstacle(&self, layer: Layer) -> Option<&Obstacle> {
        let mut missing = self.missing.iter();
        let found = missing.find(|(primitive, _)| primitive.layers().contains(&layer));
        found.map(|(_, obstacle)| obstacle)
    }

    /// Returns the mechanisms that can run at all, the best first.
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
        gaps(&self.enforcement(policy, by), policy)
    }
}

/// Returns what a sandbox with this policy would enforce on this machine, whether or not it may be opened.
pub(crate) fn probe(policy: &SandboxPolicy) -> Enforcement {
    let support = Support::detect();
    let mechanism = support.choose(policy);
    let mechanism = mechanism.unwrap_or_else(|_| support.candidates().swap_remove(0));
    support.enforcement(policy, &mechanism)
}
