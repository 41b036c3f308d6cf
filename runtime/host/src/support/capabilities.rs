//! Capabilities of a process that is confined: it has none, and gains none.

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

/// Drops every capability of this thread, and every way to gain one.
///
/// # Errors
/// When any is left.
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

/// Who has no right to shrink the bounding set has no capability either, and `no_new_privs` keeps it so.
fn drop_bounding() -> io::Result<()> {
    for capability in (0..u64::BITS).map(|bit| CapabilitySet::from_bits_retain(1 << bit)) {
        match capability_is_in_bounding_set(capability) {
            Ok(false) => continue,
            Ok(true) => {}
            // The kernel knows no capability of this number, and none above it.
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
