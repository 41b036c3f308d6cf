//! A sandbox that reaches some hosts: only these, however the others are spelled.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;

use helve_runtime::network::HostRules;
use helve_runtime::sandbox::Sandbox;

use super::{EscapeTest, expect};
use crate::escape::fixture::EscapeWorld;
use crate::escape::listeners::contains;
use crate::escape::sandbox_runner::{open, policy, run_in};
use crate::escape::user_suite::UserSuite;

pub(super) const TESTS: &[EscapeTest] = &[
    ("allowed_hosts_and_no_others", allowed_and_others),
    ("names_that_lead_to_this_machine", own_names),
    ("tunnel_with_another_server_name", other_server_name),
    ("the_proxy_is_the_only_way", only_way),
];

/// Speaks to the proxy by hand: each argument is `METHOD TARGET`, each answer a line `STATUS ARGUMENT`.
const CLIENT: &str = r#"cat > client.py <<'E'
import os, socket, sys, urllib.parse
proxy = urllib.parse.urlsplit(os.environ["HTTP_PROXY"])
def hello(name):
    name = name.encode()
    sni = b"\x00\x00" + (len(name) + 5).to_bytes(2, "big") + (len(name) + 3).to_bytes(2, "big") + b"\x00" + len(name).to_bytes(2, "big") + name
    body = b"\x03\x03" + b"r" * 32 + b"\x00" + b"\x00\x02\x13\x01" + b"\x01\x00" + len(sni).to_bytes(2, "big") + sni
    body = b"\x01" + len(body).to_bytes(3, "big") + body
    return b"\x16\x03\x01" + len(body).to_bytes(2, "big") + body
for asked in sys.argv[1:]:
    words = asked.split(" ")
    try:
        s = socket.create_connection((proxy.hostname, proxy.port), 10)
        if words[0] == "CONNECT":
            s.sendall(f"CONNECT {words[1]} HTTP/1.1\r\nHost: {words[1]}\r\n\r\n".encode())
        else:
            host = urllib.parse.urlsplit(words[1]).netloc if len(words) < 3 else words[2]
            s.sendall(f"GET {words[1]} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        answer = s.recv(65536).decode("latin1")
        status = answer.split(" ")[1] if " " in answer else "closed"
        if words[0] == "CONNECT" and status == "200":
            s.sendall(hello(words[2]) if len(words) > 2 else f"GET /{os.environ['NONCE']} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            s.settimeout(3)
            try: status += "+" + str(len(s.recv(65536)))
            except OSError as e: status += "+" + type(e).__name__
    except OSError as e:
        status = type(e).__name__
    print(status, asked)
E
"#;

/// A web server outside that tells what it was asked.
fn server(answer: &str) -> (u16, Arc<Mutex<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a listener");
    let port = listener.local_addr().expect("an address").port();
    let asked = Arc::new(Mutex::new(String::new()));
    let (to, answer) = (Arc::clone(&asked), answer.to_owned());
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut request = [0; 4096];
            let size = stream.read(&mut request).unwrap_or(0);
            to.lock()
                .expect("requests")
                .push_str(&String::from_utf8_lossy(&request[..size]));
            let length = answer.len();
            drop(write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{answer}"
            ));
        }
    });
    (port, asked)
}

/// Asks the proxy for some things, in a sandbox with rules, and returns what it answered.
fn ask(
    world: &EscapeWorld,
    rules: HostRules,
    before: &str,
    asked: &[String],
) -> Result<Vec<String>, String> {
    let mut policy = policy(world);
    policy.network = rules;
    let words: Vec<_> = asked.iter().map(|asked| format!("'{asked}'")).collect();
    let script = format!("{CLIENT}\n{before}\npython3 client.py {}", words.join(" "));
    let ran = world.suite.runtime.block_on(async {
        let sandbox = open(policy).await?;
        let ran = run_in(
            &sandbox,
            "client",
            &script,
            &world.environment("sandbox"),
            false,
        )
        .await;
        sandbox.close().await.map_err(|error| error.to_string())?;
        ran
    })?;
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    expect(lines.len() >= asked.len(), || {
        format!("{text}{}", String::from_utf8_lossy(&ran.stderr))
    })?;
    Ok(lines)
}

fn python() -> bool {
    let there = std::process::Command::new("python3")
        .arg("-V")
        .output()
        .is_ok();
    if !there {
        println!("python3 is not installed, so this asked nothing");
    }
    there
}

const LOCAL: [&str; 14] = [
    "127.0.0.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "127.1",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::1]",
    "0.0.0.0",
    "[::]",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "127.0.0.2",
];

const OTHER: [&str; 7] = [
    "169.254.169.254",
    "metadata.google.internal",
    "[fd00:ec2::254]",
    "other.example",
    "example.org.evil.example",
    "evilexample.org",
    "xexample.org",
];

fn allowed_and_others(half: &'static UserSuite) -> Result<(), String> {
    if !python() {
        return Ok(());
    }
    let world = EscapeWorld::new(half);
    let (allowed, asked) = server("hello");
    let (other, other_asked) = server("forbidden");
    let rules = HostRules::from_allowed([format!("127.0.0.1:{allowed}"), "example.org".to_owned()]);
    let good = [
        format!("GET http://127.0.0.1:{allowed}/{}", world.nonce),
        format!("CONNECT 127.0.0.1:{allowed}"),
    ];
    let mut bad = vec![
        format!("CONNECT 127.0.0.1:{other}"),
        "CONNECT 127.0.0.1:22".to_owned(),
    ];
    bad.extend(LOCAL.map(|host| format!("GET http://{host}:{other}/{}", world.nonce)));
    for host in OTHER {
        bad.push(format!("GET http://{host}/{}", world.nonce));
        bad.push(format!("CONNECT {host}:443"));
    }
    bad.push(format!("GET http://user:pass@127.0.0.1:{other}/"));
    bad.push(format!("GET http://127.0.0.1:{allowed}@127.0.0.1:{other}/"));
    bad.push("GET file:///etc/passwd x".to_owned());
    bad.push(format!("GET / 127.0.0.1:{other}"));
    let answers = ask(&world, rules, "", &[good.to_vec(), bad].concat())?;
    let wrong: Vec<_> = answers
        .iter()
        .enumerate()
        .filter(|(at, line)| (*at < good.len()) != line.starts_with("200"))
        .collect();
    expect(wrong.is_empty(), || format!("{wrong:?}"))?;
    let asked = asked.lock().map_err(|error| error.to_string())?.clone();
    expect(asked.contains(&world.nonce), || {
        "the allowed host received nothing".to_owned()
    })?;
    let other_asked = other_asked
        .lock()
        .map_err(|error| error.to_string())?
        .clone();
    expect(other_asked.is_empty(), || {
        format!("the other port received {other_asked}")
    })
}

/// With `*`, names and addresses that lead to this machine are refused still.
fn own_names(half: &'static UserSuite) -> Result<(), String> {
    if !python() {
        return Ok(());
    }
    let world = EscapeWorld::new(half);
    let (port, asked) = server("forbidden");
    let rules = HostRules::from_allowed(["*".to_owned()]);
    let more = [
        "0",
        "169.254.169.254",
        "169.254.169.254.",
        "[fe80::1]",
        "10.0.0.1",
        "192.168.0.1",
    ];
    let own = half.listeners.host_address.clone();
    let mut bad = Vec::new();
    for host in LOCAL.into_iter().chain(more).chain(own.as_deref()) {
        bad.push(format!("GET http://{host}:{port}/{}", world.nonce));
        bad.push(format!("CONNECT {host}:{port}"));
    }
    let answers = ask(&world, rules, "export NO_PROXY='*' no_proxy='*'", &bad)?;
    let wrong: Vec<_> = answers
        .iter()
        .filter(|line| line.starts_with("200"))
        .collect();
    expect(wrong.is_empty(), || format!("{wrong:?}"))?;
    let asked = asked.lock().map_err(|error| error.to_string())?.clone();
    expect(asked.is_empty(), || {
        format!("this machine received {asked}")
    })
}

/// A tunnel to an allowed host whose TLS asks for another one is cut, before a byte of it arrives.
fn other_server_name(half: &'static UserSuite) -> Result<(), String> {
    if !python() {
        return Ok(());
    }
    let world = EscapeWorld::new(half);
    let (port, asked) = server("forbidden");
    let rules = HostRules::from_allowed([format!("127.0.0.1:{port}"), format!("localhost:{port}")]);
    let tunnels = [
        format!("CONNECT 127.0.0.1:{port} other.example"),
        format!("CONNECT localhost:{port} other.example"),
    ];
    let answers = ask(&world, rules, "", &tunnels)?;
    let asked = asked.lock().map_err(|error| error.to_string())?.clone();
    expect(asked.is_empty(), || {
        format!("the host received the other name: {answers:?}")
    })
}

/// Whoever ignores the proxy reaches nothing.
fn only_way(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    let mut policy = policy(&world);
    policy.network = HostRules::from_allowed([format!("127.0.0.1:{}", half.listeners.tcp)]);
    let script = r#"export NO_PROXY='*'; unset HTTP_PROXY http_proxy ALL_PROXY all_proxy
"$DOORS" send tcp 127.0.0.1 "$TCP"; "$DOORS" send udp 127.0.0.1 "$UDP"; "$DOORS" send tcp "$OWN" "$TCP"
python3 -c 'import os, urllib.request; urllib.request.urlopen("http://127.0.0.1:%s/%s" % (os.environ["TCP"], os.environ["NONCE"]))'; echo tried"#;
    let ran = half.runtime.block_on(async {
        let sandbox = open(policy).await?;
        let ran = run_in(
            &sandbox,
            "around",
            script,
            &world.environment("sandbox"),
            false,
        )
        .await;
        sandbox.close().await.map_err(|error| error.to_string())?;
        ran
    })?;
    expect(contains(&ran.stdout, b"tried"), || "nothing ran".to_owned())?;
    expect(!world.has_contacted_listener(), || {
        "a packet went around the proxy".to_owned()
    })
}
