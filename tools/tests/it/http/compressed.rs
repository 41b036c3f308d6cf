//! Answers that are compressed: decoded within the limit of an answer, whatever a server makes of that.

use std::io::Write as _;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use serde_json::json;

use super::server::{Reply, Server};
use super::{VALUE, call, call_at, context};

const TEXT: &str = r#"{"name":"the tower","height":41}"#;

/// `TEXT` in brotli, 64 MiB of zeros, and a text whose window may have a gigabyte.
const BROTLI: &str = "8b0f807b226e616d65223a2274686520746f776572222c22686569676874223a34317d03";
const BROTLI_BOMB: &str = "cbffff3ff82700e2b14020f7fe8fffff7ff04f00c4611180eefd1fffffffe09f0088c302\
    00ddfb3ffeffffc13f0110870500baf77ffcffff837f02200e0b0074effff8ffff07ff04401c1600e8defff1ffff0f\
    fe0980382c00d0bdffcbffff3ffc1300715800a07bff07";
const BROTLI_LARGE_WINDOW: &str = "115eac04e097088bc5020165";

fn hex(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().chunks(2);
    let digits = digits.map(|pair| std::str::from_utf8(pair).unwrap());
    digits
        .map(|pair| u8::from_str_radix(pair, 16).unwrap())
        .collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn answer(status: &str, coding: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain\r\ncontent-encoding: {coding}\r\ncontent-length: {length}\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

#[tokio::test]
async fn compressed_answers_are_decoded_within_the_limit() {
    let zeros = vec![0; 64 << 20];
    let bomb = gzip(&zeros);
    let cut = &gzip(TEXT.as_bytes())[..20];
    let mut damaged = gzip(TEXT.as_bytes());
    damaged[15] ^= 0xff;
    let many = gzip(b"").repeat(40_000);
    let bodies = [
        ("gzip", "200 OK", "gzip", gzip(TEXT.as_bytes())),
        (
            "gzip by its old name",
            "200 OK",
            "X-GZip",
            gzip(TEXT.as_bytes()),
        ),
        (
            "gzip in two members",
            "200 OK",
            "gzip",
            [gzip(b"{\"a\":"), gzip(b"1}")].concat(),
        ),
        ("deflate", "200 OK", "deflate", zlib(TEXT.as_bytes())),
        (
            "deflate without its frame",
            "200 OK",
            "deflate",
            deflate(TEXT.as_bytes()),
        ),
        ("brotli", "200 OK", "br", hex(BROTLI)),
        ("identity", "200 OK", "identity", TEXT.into()),
        ("no body", "200 OK", "gzip", Vec::new()),
        ("a part", "206 Partial Content", "gzip", TEXT.into()),
        (
            "a coding that was not asked for",
            "200 OK",
            "zstd",
            TEXT.into(),
        ),
        ("64 MiB in gzip", "200 OK", "gzip", bomb.clone()),
        ("64 MiB in deflate", "200 OK", "deflate", zlib(&zeros)),
        ("64 MiB in brotli", "200 OK", "br", hex(BROTLI_BOMB)),
        (
            "a window of a gigabyte",
            "200 OK",
            "br",
            hex(BROTLI_LARGE_WINDOW),
        ),
        ("gzip in gzip", "200 OK", "gzip, gzip", gzip(&bomb)),
        ("40,000 empty members", "200 OK", "gzip", many),
        ("a text", "200 OK", "gzip", TEXT.into()),
        ("deflate that is a text", "200 OK", "deflate", TEXT.into()),
        ("brotli that is a text", "200 OK", "br", TEXT.into()),
        ("cut", "200 OK", "gzip", cut.to_vec()),
        ("damaged", "200 OK", "gzip", damaged),
        ("brotli that is cut", "200 OK", "br", hex(&BROTLI[..40])),
    ];
    let mut all = Vec::new();
    for (name, status, coding, body) in bodies {
        let bytes = answer(status, coding, &body);
        let server = Server::start(move |_| Reply::Bytes(bytes.clone())).await;
        let begun = Instant::now();
        let answer = call_at(&server, json!({ "url": server.origin() })).await;
        assert!(begun.elapsed() < Duration::from_secs(5), "{name}");
        let answer: String = answer.replace('\n', " ").chars().take(150).collect();
        all.push(format!("{name}: {}", answer.trim_end()));
    }
    insta::assert_snapshot!(all.join("\n"), @r#"
    gzip: 200 OK, text/plain, 32 bytes, shown whole  {   "name": "the tower",   "height": 41 }
    gzip by its old name: 200 OK, text/plain, 32 bytes, shown whole  {   "name": "the tower",   "height": 41 }
    gzip in two members: 200 OK, text/plain, 7 bytes, shown whole  {   "a": 1 }
    deflate: 200 OK, text/plain, 32 bytes, shown whole  {   "name": "the tower",   "height": 41 }
    deflate without its frame: 200 OK, text/plain, 32 bytes, shown whole  {   "name": "the tower",   "height": 41 }
    brotli: 200 OK, text/plain, 32 bytes, shown whole  {   "name": "the tower",   "height": 41 }
    identity: 200 OK, text/plain, 32 bytes, shown whole  {   "name": "the tower",   "height": 41 }
    no body: 200 OK, text/plain, no body
    a part: 206, text/plain, 32 bytes, shown whole  {   "name": "the tower",   "height": 41 }
    a coding that was not asked for: 200 OK, text/plain, 32 bytes, shown whole  {   "name": "the tower",   "height": 41 }
    64 MiB in gzip: error: too_large: using the network failed: the response has more than 1048576 bytes; ask for less of it
    64 MiB in deflate: error: too_large: using the network failed: the response has more than 1048576 bytes; ask for less of it
    64 MiB in brotli: error: too_large: using the network failed: the response has more than 1048576 bytes; ask for less of it
    a window of a gigabyte: error: failed: using the network failed: the response is said to be compressed with brotli, and cannot be decoded: its data is damaged, or is somethin
    gzip in gzip: error: failed: using the network failed: the response is said to be compressed with gzip, and cannot be decoded: it is compressed more than once
    40,000 empty members: 200 OK, text/plain, no body
    a text: error: failed: using the network failed: the response is said to be compressed with gzip, and cannot be decoded: its data is damaged, or is something
    deflate that is a text: error: failed: using the network failed: the response is said to be compressed with deflate, and cannot be decoded: its data is damaged, or is somethi
    brotli that is a text: error: failed: using the network failed: the response is said to be compressed with brotli, and cannot be decoded: its data is damaged, or is somethin
    cut: error: failed: using the network failed: the response is said to be compressed with gzip, and cannot be decoded: its data is damaged, or is something
    damaged: error: failed: using the network failed: the response is said to be compressed with gzip, and cannot be decoded: its data is damaged, or is something
    brotli that is cut: error: failed: using the network failed: the response is said to be compressed with brotli, and cannot be decoded: its data is damaged, or is somethin
    "#);
}

#[tokio::test]
async fn what_is_accepted_is_said_unless_the_call_says_it() {
    let server = Server::start(|_| Reply::Bytes(answer("200 OK", "identity", b"a"))).await;
    let url = server.origin();
    for headers in [
        json!({}),
        json!({ "Accept-Encoding": "identity" }),
        json!({ "Range": "bytes=0-9" }),
    ] {
        call_at(&server, json!({ "url": url, "headers": headers })).await;
    }
    insta::assert_snapshot!(server.asked(), @"
    GET / HTTP/1.1
    accept-encoding: gzip, deflate, br
    accept: */*
    user-agent: helve/0.1.0
    host: 127.0.0.1:PORT
    GET / HTTP/1.1
    accept-encoding: identity
    accept: */*
    user-agent: helve/0.1.0
    host: 127.0.0.1:PORT
    GET / HTTP/1.1
    range: bytes=0-9
    accept: */*
    user-agent: helve/0.1.0
    host: 127.0.0.1:PORT
    ");
}

#[tokio::test]
async fn a_secret_that_comes_back_compressed_is_masked() {
    let body = gzip(format!("it is {VALUE}, twice: {VALUE}").as_bytes());
    let bytes = answer("200 OK", "gzip", &body);
    let server = Server::start(move |_| Reply::Bytes(bytes.clone())).await;
    let folder = tempfile::tempdir().unwrap();
    let settings =
        json!({ "presets": { "p": { "base_url": server.origin(), "secret": "API_KEY" } } });
    let cx = context(&server.origin(), settings, folder.path());
    let answer = call(&cx, json!({ "preset": "p", "url": "echo" })).await;
    insta::assert_snapshot!(answer, @"
    200 OK, text/plain, 49 bytes, shown whole

    it is [REDACTED:secret], twice: [REDACTED:secret]
    ");
}
