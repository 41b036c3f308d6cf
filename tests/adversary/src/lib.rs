//! A model that means harm: it calls every tool that it is offered, with arguments that it composes from the tool's schema.
//!
//! What it does follows from a seed alone. A tool that joins later is called through its schema like every other one; a
//! string whose name says that it is a path, a command line or the contents of a file is filled accordingly.

mod command;
mod compose;
mod file;
mod model;
mod persistent;
mod plant;
mod rng;
mod targets;
mod task;
mod theme;
mod web;

pub use model::HostileModel;
pub use persistent::leaked_key;
pub use rng::Rng;
pub use targets::Targets;
pub use theme::Theme;
pub use web::STOLEN;
