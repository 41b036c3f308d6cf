//! Which hosts may be reached: rules over names and addresses, for tools and for the commands in a sandbox alike.
//!
//! A person writes [`HostRules`]; a [`HostPolicy`] is what they mean. [`HostPolicy::resolve`] is the one way to a
//! connection: it judges the name, looks it up once, judges every address that comes back, and answers the very addresses
//! to dial. A second lookup of the name would undo all of it.

#[cfg(feature = "network")]
mod address;
#[cfg(feature = "network")]
mod host;
#[cfg(feature = "network")]
mod pattern;
#[cfg(feature = "network")]
mod policy;
#[cfg(feature = "network")]
mod refusal;
#[cfg(feature = "network")]
mod resolve;
mod rules;

#[cfg(feature = "network")]
pub use self::{
    address::AddressClass,
    host::Host,
    pattern::{HostPattern, HostPatternError},
    policy::{Destination, HostPolicy},
    refusal::{HostRefusal, HostRefusalReason},
    resolve::{Resolve, SystemResolver},
};
pub use rules::HostRules;
