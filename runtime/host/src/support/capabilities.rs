//! Capabilities: a confined process has none, and can gain none.

use std::io;

use rustix::io::Errno;
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, capability_is_in_bounding_set,
    clear_ambient_capability_set, remove_capability_from_bounding_set, set_capabilities,
    set_no_new_privs,
};

pub(crate) const NONE: CapabilitySets = CapabilitySets {
    effective: CapabilitySet::empty(),
    permitted: CapabilitySet::empty(),
    inheritable: CapabilitySet::empty(),
};

/// Drops every capability of this thread, so that it cannot gain one again.
///
/// # Errors
/// Fails if a capability is left.
pub(crate) fn drop_all() -> io::Result<()> {
    set_no_new_privs(true)?;
    clear_ambient_capability_set()?;
    drop_bounding()?;
    set_capabilities(None, NONE)?;
    if capabilities(None)? == NONE {
        Ok(())
    } else {
        Err(io::Error::other("capabilities are left"))
    }
}

/// Drops the bounding set. A process that may not do that has no capability either, and gains none with `no_new_privs`.
fn drop_bounding() -> io::Result<()> {
    for capability in (0..u64::BITS).map(|bit| CapabilitySet::from_bits_retain(1 << bit)) {
        match capability_is_in_bounding_set(capability) {
            Ok(false) => continue,
            Ok(true) => {}
            // The kernel has no capability with this number or a higher one.
            Err(_) => break,
        }
        match remove_capability_from_bounding_set(capability) {
            Ok(()) => {}
            Err(Errno::PERM) => break,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
