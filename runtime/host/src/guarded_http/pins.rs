//! The addresses that a client may connect to: those that were checked for a request in flight.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use helve_core::network::{Destination, Host};
use helve_core::support::lock::Mutex;

/// The requests in flight to each name: the number of each request and its addresses.
type PinnedAddresses = HashMap<String, Vec<(u64, Vec<SocketAddr>)>>;

/// The pinned addresses of the names in use.
#[derive(Debug, Default)]
pub(super) struct AddressPins(Mutex<PinnedAddresses>);

/// Pins the addresses of one request until it is dropped.
pub(super) struct PinGuard {
    pins: Arc<AddressPins>,
    name: Option<(String, u64)>,
}

impl AddressPins {
    /// Pins the addresses of a destination until the guard is dropped.
    pub(super) fn pin(self: &Arc<Self>, destination: &Destination) -> PinGuard {
        let mut pinned = PinGuard {
            pins: Arc::clone(self),
            name: None,
        };
        // An address is connected to without name resolution.
        if let Host::Name(name) = &destination.host {
            let mut names = self.0.lock();
            let known = names.entry(name.clone()).or_default();
            let number = known.last().map_or(0, |(last, _)| last + 1);
            known.push((number, destination.addresses.clone()));
            pinned.name = Some((name.clone(), number));
        }
        pinned
    }
}

impl Drop for PinGuard {
    fn drop(&mut self) {
        let Some((name, number)) = self.name.take() else {
            return;
        };
        let mut names = self.pins.0.lock();
        if let Some(known) = names.get_mut(&name) {
            known.retain(|(other, _)| *other != number);
            if known.is_empty() {
                names.remove(&name);
            }
        }
    }
}

impl Resolve for AddressPins {
    fn resolve(&self, name: Name) -> Resolving {
        let names = self.0.lock();
        let newest = names.get(name.as_str()).and_then(|known| known.last());
        let found = match newest {
            Some((_, addresses)) => {
                // The client replaces the port with that of the URL.
                let addresses: Addrs = Box::new(addresses.clone().into_iter());
                Ok(addresses)
            }
            None => Err("no request to this host is under way".into()),
        };
        Box::pin(std::future::ready(found))
    }
}
