//! Name resolution.

use std::fmt::Debug;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

use futures_util::future::BoxFuture;

/// A resolver of host names, which also detects the addresses of this machine.
pub trait Resolve: Send + Sync + Debug {
    /// Looks up all addresses of a name.
    ///
    /// # Errors
    /// If the name does not exist or the lookup fails.
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;

    /// Reports whether an address is one of this machine.
    fn is_own(&self, address: IpAddr) -> bool;
}

/// The resolver of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }

    fn is_own(&self, address: IpAddr) -> bool {
        // A socket can only be bound to an address that the machine has, and binding sends no packet. On a system that
        // allows any address to be bound, binding the documentation address succeeds too, and then proves nothing
        // about others.
        let example: IpAddr = match address {
            IpAddr::V4(_) => Ipv4Addr::new(192, 0, 2, 1).into(),
            IpAddr::V6(_) => Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1).into(),
        };
        let can_bind = |address: IpAddr| UdpSocket::bind((address, 0)).is_ok();
        can_bind(address) && !can_bind(example)
    }
}
