//! The classes of IP addresses.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The class of an IP address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AddressClass {
    /// An address of the public internet.
    Public,
    /// A loopback address.
    Loopback,
    /// The unspecified address, which operating systems treat as this machine.
    Unspecified,
    /// A link-local address.
    LinkLocal,
    /// The address of a metadata service, from which cloud machines get their credentials.
    Metadata,
    /// An address of a private network.
    Private,
    /// An address shared between a provider and its customers (RFC 6598); overlay networks use these, too.
    Shared,
    /// A multicast address.
    Multicast,
    /// An address reserved for documentation.
    Documentation,
    /// Any other reserved address: benchmarks, protocols, future use, and tunnels that embed an arbitrary IPv4
    /// address.
    Reserved,
    /// An address that is assigned to this machine.
    ThisMachine,
}

impl AddressClass {
    /// Returns the class of an address; never [`ThisMachine`](AddressClass::ThisMachine).
    ///
    /// An IPv4 address that is embedded in an IPv6 address is classified as the IPv4 address.
    #[must_use]
    pub fn classify(address: IpAddr) -> Self {
        match canonical(address) {
            IpAddr::V4(address) => classify_v4(address),
            IpAddr::V6(address) => classify_v6(address),
        }
    }
}

impl fmt::Display for AddressClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Public => "a public address",
            Self::Loopback => "a loopback address: this machine itself",
            Self::Unspecified => "the unspecified address: this machine itself",
            Self::LinkLocal => "a link-local address",
            Self::Metadata => "a metadata service of cloud machines",
            Self::Private => "a private address",
            Self::Shared => "an address of a provider's or an overlay network",
            Self::Multicast => "a multicast address",
            Self::Documentation => "an address for examples",
            Self::Reserved => "a reserved address",
            Self::ThisMachine => "an address of this machine itself",
        })
    }
}

/// Returns the IPv4 address that an IPv6 address embeds, or the address itself.
pub(super) fn canonical(address: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = address else {
        return address;
    };
    let wrapped = match v6.segments() {
        // `::ffff:a.b.c.d`, and the deprecated `::ffff:0:a.b.c.d` of stateless translation.
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0, 0, 0, 0, 0xffff, 0, high, low] => {
            embedded_ipv4(high, low)
        }
        // The well-known prefix of NAT64, through which an IPv6-only network reaches IPv4.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => embedded_ipv4(high, low),
        // The deprecated `::a.b.c.d`, except for `::` and `::1`.
        [0, 0, 0, 0, 0, 0, high, low] if (high, low) != (0, 0) && (high, low) != (0, 1) => {
            embedded_ipv4(high, low)
        }
        _ => return address,
    };
    IpAddr::V4(wrapped)
}

fn embedded_ipv4(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from((u32::from(high) << 16) | u32::from(low))
}

fn classify_v4(address: Ipv4Addr) -> AddressClass {
    match address.octets() {
        // Amazon and most others; Amazon's containers; Tencent; Scaleway; Alibaba; Volcengine; UCloud; Azure; older
        // machines of Oracle.
        [169, 254, 169, 253 | 254]
        | [169, 254, 170, 2 | 23]
        | [169, 254, 0, 23]
        | [169, 254, 42, 42]
        | [100, 100, 100, 200]
        | [100, 96, 0, 96]
        | [100, 80, 80, 80]
        | [168, 63, 129, 16]
        | [192, 0, 0, 192] => AddressClass::Metadata,
        [0, 0, 0, 0] => AddressClass::Unspecified,
        [127, ..] => AddressClass::Loopback,
        [169, 254, ..] => AddressClass::LinkLocal,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => AddressClass::Private,
        [100, 64..=127, ..] => AddressClass::Shared,
        [224..=239, ..] => AddressClass::Multicast,
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => AddressClass::Documentation,
        // This network; protocol assignments; 6to4 relays; benchmarks; future use, including broadcast.
        [0 | 240..=255, ..] | [192, 0, 0, _] | [192, 88, 99, _] | [198, 18..=19, ..] => {
            AddressClass::Reserved
        }
        _ => AddressClass::Public,
    }
}

fn classify_v6(address: Ipv6Addr) -> AddressClass {
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => AddressClass::Unspecified,
        [0, 0, 0, 0, 0, 0, 0, 1] => AddressClass::Loopback,
        // Amazon and its containers; Google; Oracle; Scaleway; Akamai; OpenStack.
        [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254 | 0x23]
        | [0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254]
        | [0xfd00, 0xc1, 0, 0, 0, 0, 0xa9fe, 0xa9fe]
        | [0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42]
        | [0xfd00, 0xa9fe, 0xa9fe, 0, 0, 0, 0, 1]
        | [0xfe80, 0, 0, 0, 0, 0, 0xa9fe, 0xa9fe] => AddressClass::Metadata,
        [0xfe80..=0xfebf, ..] => AddressClass::LinkLocal,
        [0xff00..=0xffff, ..] => AddressClass::Multicast,
        // Unique local, the former site-local, and the NAT64 prefix for local use.
        [0xfc00..=0xfdff | 0xfec0..=0xfeff, ..] | [0x64, 0xff9b, 1, ..] => AddressClass::Private,
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => AddressClass::Documentation,
        // Protocol assignments with Teredo, and 6to4: tunnels whose endpoint the address determines.
        [0x2001, 0..=0x1ff, ..] | [0x2002, ..] => AddressClass::Reserved,
        [0x2000..=0x3fff, ..] => AddressClass::Public,
        // All other addresses are unassigned.
        _ => AddressClass::Reserved,
    }
}

/// Reports whether a name is that of a metadata service, whatever the name resolves to.
pub(super) fn is_metadata_name(name: &str) -> bool {
    const NAMES: [&str; 16] = [
        "metadata",
        "metadata.google.internal",
        "metadata.goog",
        "metadata.azure.com",
        "metadata.azure.internal",
        "metadata.aws.amazon.com",
        "metadata.ec2.internal",
        "metadata.oraclecloud.com",
        "metadata.tencentyun.com",
        "metadata.platformequinix.com",
        "metadata.packet.net",
        "api.metadata.cloud.ibm.com",
        "rancher-metadata",
        "instance-data",
        "instance-data.ec2.internal",
        "100-100-100-200.alibaba.internal",
    ];
    NAMES.contains(&name)
}

/// Reports whether networks use a name internally; the rule `*` does not match such names.
pub(super) fn is_local_name(name: &str) -> bool {
    const ENDINGS: [&str; 5] = ["localhost", "local", "internal", "localdomain", "home.arpa"];
    ENDINGS.iter().any(|ending| {
        name.strip_suffix(ending)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}
