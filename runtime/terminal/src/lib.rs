//! The terminal of a helve app: styled lines, a screen that is redrawn in place, events of turns as text, and questions
//! to the user.

pub mod diff;
pub mod edit;
#[cfg(feature = "chat")]
pub mod markdown;
pub mod output;
pub mod questions;
pub mod render;
pub mod sanitize;
pub mod screen;
