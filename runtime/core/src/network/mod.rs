//! Host rules: the names and addresses that tools, and the commands in a sandbox, may reach.
//!
//! The user writes [`HostRules`], which are parsed into a [`HostPolicy`]. Every connection goes through
//! [`HostPolicy::resolve`]: it checks the name, looks the name up once, checks every address of the result, and
//! returns the exact addresses to dial. A second lookup of the name would bypass these checks.

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
#[cfg(feature = "tls")]
mod tls;

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
#[cfg(feature = "tls")]
pub use tls::install_tls_provider;
