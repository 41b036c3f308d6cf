//! Schedules for tools.

use helve_core::capability::Capability;
use helve_core::refusal::Refusal;
use helve_core::tool::{State, ToolContext};

use crate::schedules::Schedules;

/// The schedules that a host grants to tools.
struct GrantedSchedules(Schedules);

impl Schedules {
    /// Grants the schedules to the tools of an app, through the state of the app.
    pub fn grant(self, state: &mut State) {
        state.insert(GrantedSchedules(self));
    }
}

/// Gives tools the schedules that the host grants.
///
/// ```
/// use helve::prelude::*;
/// use helve::schedule::ScheduleContext as _;
///
/// /// Says how many schedules there are.
/// #[tool(read_only, requires(schedules))]
/// async fn count_schedules(cx: &ToolContext) -> Result<usize, ToolError> {
///     Ok(cx.schedules()?.list().await?.len())
/// }
/// ```
pub trait ScheduleContext {
    /// Returns the schedules of the folder and the principal, for a tool that declares `requires(schedules)`.
    ///
    /// # Errors
    /// The tool does not declare `schedules`, or the host grants none.
    fn schedules(&self) -> Result<&Schedules, Refusal>;
}

impl ScheduleContext for ToolContext {
    fn schedules(&self) -> Result<&Schedules, Refusal> {
        if !self.requirements().schedules {
            return Err(Refusal::not_declared(Capability::Schedules));
        }
        let granted = self.app_state().get::<GrantedSchedules>().ok().flatten();
        let granted = granted.ok_or_else(|| Refusal::not_granted(Capability::Schedules))?;
        Ok(&granted.0)
    }
}
