//! Addresses: their classes, and every spelling of them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use helve_runtime::network::{AddressClass, Host, HostPolicy, HostRules};
use proptest::prelude::*;

const CLASSES: &[(AddressClass, &[&str])] = &[
    (
        AddressClass::Public,
        &[
            "1.1.1.1",
            "93.184.216.34",
            "172.15.255.255",
            "172.32.0.1",
            "100.63.0.1",
            "100.128.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
        ],
    ),
    (
        AddressClass::Loopback,
        &[
            "127.0.0.1",
            "127.255.255.254",
            "::1",
            "::ffff:127.0.0.1",
            "64:ff9b::7f00:1",
            "::127.0.0.1",
            "::ffff:0:7f00:1",
        ],
    ),
    (
        AddressClass::Unspecified,
        &["0.0.0.0", "::", "::ffff:0.0.0.0"],
    ),
    (
        AddressClass::LinkLocal,
        &[
            "169.254.0.1",
            "169.254.255.255",
            "fe80::1",
            "febf::1",
            "::ffff:169.254.1.1",
        ],
    ),
    (
        AddressClass::Metadata,
        &[
            "169.254.169.254",
            "169.254.170.2",
            "169.254.170.23",
            "169.254.0.23",
            "169.254.42.42",
            "100.100.100.200",
            "100.96.0.96",
            "100.80.80.80",
            "168.63.129.16",
            "192.0.0.192",
            "fd00:ec2::254",
            "fd00:ec2::23",
            "fd20:ce::254",
            "fd00:c1::a9fe:a9fe",
            "fd00:42::42",
            "fd00:a9fe:a9fe::1",
            "fe80::a9fe:a9fe",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "::a9fe:a9fe",
        ],
    ),
    (
        AddressClass::Private,
        &[
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "fc00::1",
            "fd12:3456::1",
            "fec0::1",
            "::ffff:10.1.2.3",
            "64:ff9b::a00:1",
            "64:ff9b:1::a00:1",
        ],
    ),
    (AddressClass::Shared, &["100.64.0.1", "100.127.255.255"]),
    (
        AddressClass::Multicast,
        &["224.0.0.1", "239.255.255.255", "ff02::1"],
    ),
    (
        AddressClass::Documentation,
        &[
            "192.0.2.1",
            "198.51.100.7",
            "203.0.113.7",
            "2001:db8::1",
            "3fff::1",
        ],
    ),
    (
        AddressClass::Reserved,
        &[
            "0.1.2.3",
            "192.0.0.1",
            "192.88.99.1",
            "198.18.0.1",
            "198.19.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "2001::1",
            "2002:7f00:1::",
            "2002:808:808::",
            "100::1",
            "4000::1",
            "::2",
        ],
    ),
];

#[test]
fn every_address_has_its_class() {
    for (class, addresses) in CLASSES {
        for address in *addresses {
            let parsed: IpAddr = address.parse().unwrap();
            assert_eq!(AddressClass::classify(parsed), *class, "{address}");
        }
    }
}

/// All the ways to write an IPv4 address in a URL.
fn spellings(address: Ipv4Addr) -> Vec<String> {
    let [a, b, c, d] = address.octets();
    let whole = u32::from(address);
    let low = whole & 0x00ff_ffff;
    let lower = whole & 0xffff;
    vec![
        address.to_string(),
        format!("{address}."),
        whole.to_string(),
        format!("0x{whole:x}"),
        format!("0X{whole:X}"),
        format!("0{whole:o}"),
        format!("{a:#x}.{b:#x}.{c:#x}.{d:#x}"),
        format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
        format!("00000{a:o}.0x{b:x}.{c}.{d}"),
        format!("{a}.{low}"),
        format!("{a}.{b}.{lower}"),
        format!("0x{a:x}.0{low:o}"),
        format!("[::ffff:{address}]"),
        format!("[::ffff:{:x}:{:x}]", whole >> 16, lower),
        format!("[0:0:0:0:0:FFFF:{:X}:{:x}]", whole >> 16, lower),
        // Digits of other scripts, which are mapped to ours.
        address.to_string().replace('1', "①").replace('2', "２"),
        address.to_string().replace('.', "。"),
    ]
}

/// What leads to an IPv4 address by way of another.
fn wrappings(address: Ipv4Addr) -> Vec<String> {
    let whole = u32::from(address);
    let (high, low) = (whole >> 16, whole & 0xffff);
    vec![
        format!("[64:ff9b::{high:x}:{low:x}]"),
        format!("[64:ff9b::{address}]"),
        format!("[::{address}]"),
        format!("[::ffff:0:{high:x}:{low:x}]"),
        format!("[2002:{high:x}:{low:x}::]"),
        format!("[2002:{high:x}:{low:x}::1]"),
        format!("[64:ff9b:1::{high:x}:{low:x}]"),
        format!("[2001:0:{high:x}:{low:x}::]"),
    ]
}

fn everything() -> HostPolicy {
    HostPolicy::new(&HostRules::from_allowed(["*:*"])).unwrap()
}

fn judged(policy: &HostPolicy, host: &str) -> bool {
    Host::parse(host).is_some_and(|host| policy.judge(&host, 443).is_ok())
}

#[test]
fn a_zone_a_percent_sign_and_a_fifth_part_are_no_host() {
    for text in [
        "[fe80::1%25eth0]",
        "[fe80::1%eth0]",
        "[::1%lo]",
        "127.0.0.1%20",
        "%31%32%37.0.0.1",
        "1.2.3.4.5",
        "256.0.0.1",
        "0x100000000",
        "4294967296",
        "",
        ".",
        "..",
        "a..b",
        "[::1",
        "::1",
        "[]",
        "a b",
        "a/b",
        "a@b",
        "a:1",
        "a\0b",
        "exa\tmple",
        "<a>",
        "1.2.3.09",
    ] {
        assert_eq!(Host::parse(text), None, "{text:?}");
    }
    assert_eq!(Host::parse(&"a".repeat(64)), None);
    assert_eq!(Host::parse(&["a"; 200].join(".")), None);
    assert_eq!(Host::parse(&"a".repeat(1 << 20)), None);
}

proptest! {
    #[test]
    fn no_spelling_of_an_inner_address_gets_through(
        address in prop_oneof![
            any::<u32>().prop_map(|low| Ipv4Addr::from(0x7f00_0000 | (low & 0xff_ffff))),
            any::<u32>().prop_map(|low| Ipv4Addr::from(0x0a00_0000 | (low & 0xff_ffff))),
            any::<u16>().prop_map(|low| Ipv4Addr::from(0xc0a8_0000 | u32::from(low))),
            any::<u16>().prop_map(|low| Ipv4Addr::from(0xa9fe_0000 | u32::from(low))),
            any::<u32>().prop_map(|low| Ipv4Addr::from(0x6440_0000 | (low & 0x3f_ffff))),
            any::<u32>().prop_map(|low| Ipv4Addr::from(0xe000_0000 | (low & 0x1fff_ffff))),
            Just(Ipv4Addr::new(169, 254, 169, 254)),
            Just(Ipv4Addr::UNSPECIFIED),
        ],
    ) {
        let policy = everything();
        for text in spellings(address).iter().chain(&wrappings(address)) {
            prop_assert!(!judged(&policy, text), "{text}");
        }
    }

    #[test]
    fn all_spellings_are_one_host(address in any::<u32>()) {
        let address = Ipv4Addr::from(address);
        for text in spellings(address) {
            prop_assert_eq!(Host::parse(&text), Some(Host::Address(address.into())), "{}", text);
        }
    }

    #[test]
    fn a_wrapped_address_is_never_better_than_what_it_wraps(address in any::<u32>()) {
        let address = Ipv4Addr::from(address);
        if AddressClass::classify(address.into()) != AddressClass::Public {
            for text in wrappings(address) {
                prop_assert!(!judged(&everything(), &text), "{text}");
            }
        }
    }

    #[test]
    fn what_is_shown_is_read_again(text in "\\PC{0,40}") {
        if let Some(host) = Host::parse(&text) {
            prop_assert_eq!(Host::parse(&host.to_string()), Some(host));
        }
    }

    #[test]
    fn addresses_of_version_six_outside_of_the_public_block_are_refused(address in any::<u128>()) {
        let address = Ipv6Addr::from(address);
        let class = AddressClass::classify(address.into());
        if class == AddressClass::Public {
            let first = address.segments()[0];
            prop_assert!((0x2000..=0x3fff).contains(&first) || first < 0x100, "{address}");
        }
    }
}
