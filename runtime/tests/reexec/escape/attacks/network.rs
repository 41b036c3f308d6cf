//! The network, and every socket that leads out without one.

use helve_runtime::sandbox::Layer::{Network, SystemCalls};

use crate::escape::case::Proof::{ContactsListener, PrintsReached};
use crate::escape::case::{EscapeCase, attack};
use crate::escape::fixture::EscapeWorld;

/// Attacks on the network, in a sandbox that has none.
pub(super) const CASES: &[EscapeCase] = &[
    attack(Network, "tcp_loopback", ContactsListener, r#""$DOORS" send tcp 127.0.0.1 "$TCP""#),
    attack(Network, "tcp_loopback_6", ContactsListener, r#""$DOORS" send tcp ::1 "$TCP6""#),
    attack(Network, "tcp_mapped_loopback", ContactsListener, r#""$DOORS" send tcp ::ffff:127.0.0.1 "$TCP""#),
    attack(Network, "tcp_own_address", ContactsListener, r#""$DOORS" send tcp "$OWN" "$TCP""#),
    attack(Network, "tcp_any_address", ContactsListener, r#""$DOORS" send tcp 0.0.0.0 "$TCP""#),
    attack(Network, "tcp_fast_open", ContactsListener, r#""$DOORS" send fastopen 127.0.0.1 "$TCP""#),
    attack(Network, "multipath_tcp", ContactsListener, r#""$DOORS" send mptcp 127.0.0.1 "$TCP""#),
    attack(Network, "udp_loopback", ContactsListener, r#""$DOORS" send udp 127.0.0.1 "$UDP""#),
    attack(Network, "udp_own_address", ContactsListener, r#""$DOORS" send udp "$OWN" "$UDP""#),
    attack(
        Network,
        "dns",
        ContactsListener,
        r#"python3 -c '
import os, socket, struct
name = os.environ["NONCE"].encode()
query = struct.pack(">HHHHHH", 1, 256, 1, 0, 0, 0) + bytes([len(name)]) + name + b"\x00\x00\x01\x00\x01"
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(query, ("127.0.0.1", int(os.environ["UDP"])))'"#,
    )
    .with_programs(&["python3"]),
    attack(Network, "http_through_bash", ContactsListener, r#"bash -c 'echo "$NONCE" > "/dev/tcp/127.0.0.1/$TCP"'"#).with_programs(&["bash"]),
    attack(Network, "raw_socket", PrintsReached, r#""$DOORS" raw_packet"#).root_only("raw sockets are for root"),
    attack(Network, "packet_socket", PrintsReached, r#""$DOORS" sniff"#).root_only("packet sockets are for root"),
    attack(SystemCalls, "vsock", PrintsReached, r#""$DOORS" vsock"#),
    attack(SystemCalls, "netlink_route", PrintsReached, r#""$DOORS" socket 16 3 0"#),
    attack(SystemCalls, "netlink_uevent", PrintsReached, r#""$DOORS" socket 16 3 15"#),
    attack(SystemCalls, "netlink_filter", PrintsReached, r#""$DOORS" socket 16 3 12"#),
    attack(SystemCalls, "alg", PrintsReached, r#""$DOORS" alg"#),
    attack(SystemCalls, "other_families", PrintsReached, r#""$DOORS" other_families"#),
    attack(Network, "configure_interface", PrintsReached, r#""$DOORS" configure"#).root_only("the network is configured by root alone"),
    attack(SystemCalls, "unix_abstract", ContactsListener, r#""$DOORS" send_unix stream "$ABSTRACT""#),
    attack(SystemCalls, "unix_path", ContactsListener, r#""$DOORS" send_unix stream "$SOCKET""#),
    attack(SystemCalls, "unix_path_in_workspace", ContactsListener, r#""$DOORS" send_unix stream "$WS/socket""#).with_setup(EscapeWorld::listen_in_workspace),
    attack(SystemCalls, "unix_datagram", ContactsListener, r#""$DOORS" send_unix dgram "$WS/datagrams""#).with_setup(EscapeWorld::listen_in_workspace),
    attack(SystemCalls, "unix_datagram_pair", ContactsListener, r#""$DOORS" send_unix pair "$WS/datagrams""#).with_setup(EscapeWorld::listen_in_workspace),
    attack(SystemCalls, "unix_datagram_pair_abstract", ContactsListener, r#""$DOORS" send_unix pair "$ABSTRACT_DATAGRAMS""#),
    attack(SystemCalls, "unix_pair_connected_again", ContactsListener, r#""$DOORS" reconnect_pair "$WS/datagrams""#).with_setup(EscapeWorld::listen_in_workspace),
];
