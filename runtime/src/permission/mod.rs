//! Permission: what a policy says about a call, and who answers when it says "ask".
//!
//! Everything here fails closed: without an approver, a call that needs approval is denied.

mod approver;
mod mode;
mod policy;
mod rule;
mod taint;
mod verdict;

pub use approver::{Approver, Decision, DenyAll, Question};
pub use mode::Mode;
pub use policy::default_verdict;
pub use rule::{InvalidRule, Rule, RuleScope};
pub use taint::Taint;
pub use verdict::Verdict;
