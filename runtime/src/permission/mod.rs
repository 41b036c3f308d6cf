//! Permission: what a policy says about a call, and who answers when it says "ask".
//!
//! Everything here fails closed: without an approver, a call that needs approval is denied.

mod approver;
mod policy;
mod verdict;

pub use approver::{Approver, Decision, DenyAll, Question};
pub use policy::default_verdict;
pub use verdict::Verdict;
