//! Connections of tools that speak other protocols than HTTP: what they reach, and what is refused.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests fail by panicking, and make their own files"
)]

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use helve::capability::{Grants, GuardedHttp, Tls};
use helve::network::HostRules;
use helve::prelude::*;
use helve::{ToolContext, toolset};
use libtest_mimic::Trial;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// Names the role of the program that trusts the authority of these tests.
const ROLE: &str = "HELVE_TEST_CONNECTING";

/// The certificate of the authority of these tests.
const AUTHORITY: &str = "MIIBhzCCASygAwIBAgITc2Q3OIi/ED0kcnjgljnNtM3cTzAKBggqhkjOPQQDAjAQMQ4wDAYDVQQDDAVUZXN0czAgFw0yNjExMjgwMDM4MTJaGA\
    8yMTI2MTEwNDAwMzgxMlowEDEOMAwGA1UEAwwFVGVzdHMwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATykOiXsINwuV9pSXKk8zRts8w2TcS1\
    OeWxruF9ZXtwjk9dEzezh3gi9FnMjLNdzJ11lthhBqmPOnjuoqzXKYOho2MwYTAdBgNVHQ4EFgQUfZtavfS8tFxSBeSFwuOd3/9ODkkwHwYDVR\
    0jBBgwFoAUfZtavfS8tFxSBeSFwuOd3/9ODkkwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAgQwCgYIKoZIzj0EAwIDSQAwRgIhAO2N\
    hBqrtf0RR8u+v0FR7BHY7gHqjvR0rRf/p58c/6nfAiEA4kM/Mb4UTmrWepO2XB+38GJocM30jQvtc/DXDyZJIdc=";

/// A certificate of it for `localhost`, and its key.
const CERTIFICATE: &str = "MIIBojCCAUigAwIBAgIUHZXY2tPL8mELR/N3sSmOKjnitQYwCgYIKoZIzj0EAwIwEDEOMAwGA1UEAwwFVGVzdHMwIBcNMjYxMTI4MDAzOTMyWh\
    gPMjEyNjExMDQwMDM5MzJaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABEk/GLPrxTi7tb4Ai3I+s4jm\
    ODctG/BRwKk7TErIqqWoOCMRp3gsgAoqxxPAMXjZgFp7yaF2PLvhXzt+zpBdNe6jejB4MBQGA1UdEQQNMAuCCWxvY2FsaG9zdDATBgNVHSUEDD\
    AKBggrBgEFBQcDATALBgNVHQ8EBAMCB4AwHQYDVR0OBBYEFFeHJThgud++NOo253fTu/+sKcoUMB8GA1UdIwQYMBaAFH2bWr30vLRcUgXkhcLj\
    nd//Tg5JMAoGCCqGSM49BAMCA0gAMEUCICmhKdI19HY4/rcWEUmOX31fVD0vFnDXVstJVnsj6QMOAiEAjSB9emCozyh7pr8hlh9Gc/TzjCyDeA\
    Jfuu49moVHjeE=";
const KEY: &str = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgVsizIbt8rlTsIU0mQB4jJcK2A68UlkhVAjBgGRzFlAqhRANCAARJPxiz68U4u7\
    W+AItyPrOI5jg3LRvwUcCpO0xKyKqlqDgjEad4LIAKKscTwDF42YBae8mhdjy74V87fs6QXTXu";

pub(crate) fn tests() -> Vec<Trial> {
    vec![Trial::test(
        "connecting::a_tool_reaches_what_the_rules_allow",
        || {
            a_tool_reaches_what_the_rules_allow();
            Ok(())
        },
    )]
}

/// Says `hello` to a server, and returns what it answers.
#[tool(read_only, requires(net))]
async fn greet(
    /// The host.
    host: &str,
    /// The port.
    port: u16,
    /// When it is encrypted.
    tls: &str,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let required = tls == "required";
    let tls_now = if required { Tls::Required } else { Tls::None };
    let mut stream = cx.net().connect(host, port, tls_now).await?;
    if tls == "later" {
        stream.write_all(b"starttls\n").await?;
        stream = stream.start_tls().await?;
    }
    stream.write_all(b"hello\n").await?;
    stream.flush().await?;
    let mut answer = [0; 100];
    let length = stream.read(&mut answer).await?;
    Ok(String::from_utf8_lossy(&answer[..length]).into_owned())
}

/// As `greet`, for one host alone.
#[tool(read_only, requires(net("mail.example.com:993")))]
async fn greet_mail(
    /// The host.
    host: &str,
    /// The port.
    port: u16,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let stream = cx.net().connect(host, port, Tls::None).await?;
    Ok(format!("{stream:?}"))
}

/// As `greet`, without a declaration.
#[tool(read_only)]
async fn greet_undeclared(
    /// The host.
    host: &str,
    /// The port.
    port: u16,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let stream = cx.net().connect(host, port, Tls::None).await?;
    Ok(format!("{stream:?}"))
}

/// What a server does with a connection.
#[derive(Clone, Copy)]
enum Server {
    Plain,
    Encrypted,
    EncryptedLater,
    Silent,
}

/// Starts a server that answers with what it was told, in capital letters, and returns its port.
async fn serve(server: Server) -> u16 {
    let decode = |text: &str| STANDARD.decode(text).unwrap();
    let chain = vec![CertificateDer::from(decode(CERTIFICATE))];
    let key = PrivatePkcs8KeyDer::from(decode(KEY));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider);
    let config = config.with_safe_default_protocol_versions().unwrap();
    let config = config
        .with_no_client_auth()
        .with_single_cert(chain, key.into());
    let acceptor = TlsAcceptor::from(Arc::new(config.unwrap()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                match server {
                    Server::Plain => answer(stream).await,
                    Server::Encrypted => answer(acceptor.accept(stream).await?).await,
                    Server::EncryptedLater => {
                        let mut line = [0; 9];
                        stream.read_exact(&mut line).await?;
                        answer(acceptor.accept(stream).await?).await
                    }
                    Server::Silent => std::future::pending().await,
                }
            });
        }
    });
    port
}

async fn answer(
    mut stream: impl tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
) -> std::io::Result<()> {
    let mut told = [0; 100];
    let length = stream.read(&mut told).await?;
    stream
        .write_all(&told[..length].to_ascii_uppercase())
        .await?;
    stream.flush().await?;
    // Until the client closes the connection.
    stream.read(&mut told).await.map(drop)
}

/// Connects as the tool of a user does, and prints what became of it.
pub(crate) fn run_as_role() -> bool {
    if std::env::var_os(ROLE).is_none() {
        return false;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(attempts());
    true
}

/// The ports that a test has for its servers.
struct Ports {
    plain: u16,
    encrypted: u16,
    later: u16,
    silent: u16,
    closed: u16,
}

/// Attempts: what they are about, the tool, its host and port, and the encryption that it needs.
fn cases(ports: &Ports) -> [(&'static str, &'static str, &'static str, u16, &'static str); 18] {
    [
        ("plain", "greet", "127.0.0.1", ports.plain, "none"),
        (
            "encrypted",
            "greet",
            "localhost",
            ports.encrypted,
            "required",
        ),
        (
            "encrypted later",
            "greet",
            "localhost",
            ports.later,
            "later",
        ),
        (
            "the certificate of another host",
            "greet",
            "127.0.0.1",
            ports.encrypted,
            "required",
        ),
        (
            "another one, later",
            "greet",
            "127.0.0.1",
            ports.later,
            "later",
        ),
        ("no TLS", "greet", "localhost", ports.plain, "required"),
        (
            "a server that says nothing",
            "greet",
            "localhost",
            ports.silent,
            "required",
        ),
        (
            "a port where nobody listens",
            "greet",
            "127.0.0.1",
            ports.closed,
            "none",
        ),
        (
            "a port that no rule opens",
            "greet",
            "imap.example.com",
            993,
            "required",
        ),
        ("a port that is denied", "greet", "127.0.0.1", 25, "none"),
        ("no port", "greet", "127.0.0.1", 0, "none"),
        ("metadata", "greet", "169.254.169.254", 80, "none"),
        (
            "metadata in version six",
            "greet",
            "::ffff:169.254.169.254",
            80,
            "none",
        ),
        (
            "loopback in version six",
            "greet",
            "::1",
            ports.plain,
            "none",
        ),
        (
            "a number that is an address",
            "greet",
            "0x7f.2",
            ports.plain,
            "none",
        ),
        ("no host", "greet", "http://localhost/", ports.plain, "none"),
        ("not declared", "greet_mail", "127.0.0.1", ports.plain, ""),
        (
            "nothing declared",
            "greet_undeclared",
            "127.0.0.1",
            ports.plain,
            "",
        ),
    ]
}

async fn attempts() {
    let rules = [
        "localhost:*",
        "127.0.0.1:*",
        "mail.example.com:993",
        "imap.example.com",
    ];
    let mut rules = HostRules::from_allowed(rules);
    rules.deny.push("127.0.0.1:25".to_owned());
    let http = GuardedHttp::new(&rules)
        .unwrap()
        .time_limit(Duration::from_secs(1));
    let grants = Grants {
        http: Some(Arc::new(http)),
        ..Grants::default()
    };
    let cx = ToolContext::builder().grants(grants).build();
    let tools = toolset![greet, greet_mail, greet_undeclared];
    let plain = serve(Server::Plain).await;
    let encrypted = serve(Server::Encrypted).await;
    let later = serve(Server::EncryptedLater).await;
    let silent = serve(Server::Silent).await;
    let closed = TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let ports = Ports {
        plain,
        encrypted,
        later,
        silent,
        closed,
    };
    for (what, tool, host, port, tls) in cases(&ports) {
        let mut arguments = json!({ "host": host, "port": port });
        if !tls.is_empty() {
            arguments["tls"] = tls.into();
        }
        let called = tools.call(tool, &arguments.to_string(), &cx).await;
        let text = match called {
            Ok(output) => output.text().trim_end().to_owned(),
            Err(error) => format!("error: {error}"),
        };
        let text = match port {
            0 => text,
            port => text.replace(&port.to_string(), "PORT"),
        };
        // How the two of them fail to understand each other differs from run to run.
        let is_certain = what != "no TLS";
        let cut = text.split_once("be encrypted: ").filter(|_| !is_certain);
        println!(
            "{what}: {}",
            cut.map_or(&*text, |(text, _)| text.trim_end())
        );
    }
}

fn a_tool_reaches_what_the_rules_allow() {
    let folder = tempfile::tempdir().unwrap();
    let trusted = folder.path().join("authority.pem");
    let pem = format!("-----BEGIN CERTIFICATE-----\n{AUTHORITY}\n-----END CERTIFICATE-----\n");
    std::fs::write(&trusted, pem).unwrap();
    let mut command = Command::new("/proc/self/exe");
    let output = command
        .env(ROLE, "1")
        .env("SSL_CERT_FILE", &trusted)
        .output();
    let output = output.unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    insta::assert_snapshot!(String::from_utf8_lossy(&output.stdout), @r#"
    plain: HELLO
    encrypted: HELLO
    encrypted later: HELLO
    the certificate of another host: error: using the network failed: the host is allowed, and the connection to it could not be encrypted: invalid peer certificate: certificate not valid for name "127.0.0.1"; certificate is only valid for DnsName("localhost")
    another one, later: error: using the network failed: the host is allowed, and the connection to it could not be encrypted: invalid peer certificate: certificate not valid for name "127.0.0.1"; certificate is only valid for DnsName("localhost")
    no TLS: error: using the network failed: the host is allowed, and the connection to it could not
    a server that says nothing: error: using the network failed: there was no connection within 1s
    a port where nobody listens: error: using the network failed: the host is allowed, and no connection to it could be opened: Connection refused (os error 111)
    a port that no rule opens: error: refused: `imap.example.com` may not be reached: port PORT is not allowed for this host; use port 443 or 80, or ask the user to allow `imap.example.com:PORT`
    a port that is denied: error: refused: `127.0.0.1` may not be reached: the rule `127.0.0.1:PORT` denies this host; do not use it
    no port: error: refused: `127.0.0.1` may not be reached: there is no port 0
    metadata: error: refused: `169.254.169.254` may not be reached: cloud metadata services are never reachable
    metadata in version six: error: refused: `169.254.169.254` may not be reached: cloud metadata services are never reachable
    loopback in version six: error: refused: `[::1]` may not be reached: the allowed hosts are `localhost:*`, `127.0.0.1:*`, `mail.example.com:993` and `imap.example.com`; use one of them, or ask the user to allow this host
    a number that is an address: error: refused: `127.0.0.2` may not be reached: the allowed hosts are `localhost:*`, `127.0.0.1:*`, `mail.example.com:993` and `imap.example.com`; use one of them, or ask the user to allow this host
    no host: error: refused: `http://localhost/` may not be reached: it is no host; write a name or an address
    not declared: error: refused: `127.0.0.1` may not be reached: this tool declared that it reaches `mail.example.com:993` and no other host; declare it in `requires(net("…"))` on the tool
    nothing declared: error: refused: this tool did not declare that it uses the network; declare `requires(net)` on the tool
    "#);
}
