//! The network, and every socket that leads out without one.

use helve_runtime::sandbox::Layer::{Network, SystemCalls};

use crate::escape::case::Proof::{Reaches, Sends};
use crate::escape::case::{Case, attack};
use crate::escape::world::World;

/// Attacks on the network, in a sandbox that has none.
pub(super) const CASES: &[Case] = &[
    attack(Network, "tcp_loopback", Sends, r#""$DOORS" send tcp 127.0.0.1 "$TCP""#),
    attack(Network, "tcp_loopback_6", Sends, r#""$DOORS" send tcp ::1 "$TCP6""#),
    attack(Network, "tcp_mapped_loopback", Sends, r#""$DOORS" send tcp ::ffff:127.0.0.1 "$TCP""#),
    attack(Network, "tcp_own_address", Sends, r#""$DOORS" send tcp "$OWN" "$TCP""#),
    attack(Network, "tcp_any_address", Sends, r#""$DOORS" send tcp 0.0.0.0 "$TCP""#),
    attack(Network, "tcp_fast_open", Sends, r#""$DOORS" send fastopen 127.0.0.1 "$TCP""#),
    attack(Network, "multipath_tcp", Sends, r#""$DOORS" send mptcp 127.0.0.1 "$TCP""#),
    attack(Network, "udp_loopback", Sends, r#""$DOORS" send udp 127.0.0.1 "$UDP""#),
    attack(Network, "udp_own_address", Sends, r#""$DOORS" send udp "$OWN" "$UDP""#),
    attack(
        Network,
        "dns",
        Sends,
        r#"python3 -c '
import os, socket, struct
name = os.environ["NONCE"].encode()
query = struct.pack(">HHHHHH", 1, 256, 1, 0, 0, 0) + bytes([len(name)]) + name + b"\x00\x00\x01\x00\x01"
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(query, ("127.0.0.1", int(os.environ["UDP"])))'"#,
    )
    .needs(&["python3"]),
    attack(Network, "http_through_bash", Sends, r#"bash -c 'echo "$NONCE" > "/dev/tcp/127.0.0.1/$TCP"'"#).needs(&["bash"]),
    attack(Network, "raw_socket", Reaches, r#""$DOORS" raw_packet"#).privileged("raw sockets are for root"),
    attack(Network, "packet_socket", Reaches, r#""$DOORS" sniff"#).privileged("packet sockets are for root"),
    attack(SystemCalls, "vsock", Reaches, r#""$DOORS" vsock"#),
    attack(SystemCalls, "netlink_route", Reaches, r#""$DOORS" socket 16 3 0"#),
    attack(SystemCalls, "netlink_uevent", Reaches, r#""$DOORS" socket 16 3 15"#),
    attack(SystemCalls, "netlink_filter", Reaches, r#""$DOORS" socket 16 3 12"#),
    attack(SystemCalls, "alg", Reaches, r#""$DOORS" alg"#),
    attack(SystemCalls, "other_families", Reaches, r#""$DOORS" other_families"#),
    attack(Network, "configure_interface", Reaches, r#""$DOORS" configure"#).privileged("the network is configured by root alone"),
    attack(SystemCalls, "unix_abstract", Sends, r#""$DOORS" send_unix stream "$ABSTRACT""#),
    attack(SystemCalls, "unix_path", Sends, r#""$DOORS" send_unix stream "$SOCKET""#),
    attack(SystemCalls, "unix_path_in_workspace", Sends, r#""$DOORS" send_unix stream "$WS/socket""#).given(World::listen_in_workspace),
    attack(SystemCalls, "unix_datagram", Sends, r#""$DOORS" send_unix dgram "$WS/datagrams""#).given(World::listen_in_workspace),
    attack(SystemCalls, "unix_datagram_pair", Sends, r#""$DOORS" send_unix pair "$WS/datagrams""#).given(World::listen_in_workspace),
    attack(SystemCalls, "unix_datagram_pair_abstract", Sends, r#""$DOORS" send_unix pair "$ABSTRACT_DATAGRAMS""#),
    attack(SystemCalls, "unix_pair_connected_again", Sends, r#""$DOORS" reconnect_pair "$WS/datagrams""#).given(World::listen_in_workspace),
];
