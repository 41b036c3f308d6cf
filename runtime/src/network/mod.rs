//! Which hosts may be reached: rules over names and addresses, for tools and for the commands in a sandbox alike.

mod rules;

pub use rules::HostRules;
