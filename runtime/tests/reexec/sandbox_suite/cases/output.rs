//! What a process writes, by offset.

use std::time::{Duration, Instant};

use helve_runtime::sandbox::OutputStream::{Stderr, Stdout};
use helve_runtime::sandbox::{Exit, OutputChunk, ReadOutput, Stdin};

use crate::sandbox_suite::fixture::{Fixture, TIMEOUT, exit_of, id, read, read_all, run, sh};

/// Numbers of eight digits and a line break each: what stands where is known.
const NUMBERS: &str = "i=10000000; while [ $i -lt 10002000 ]; do echo $i; i=$((i+1)); done";

fn numbers(from: u64, length: usize) -> String {
    let all = (10_000_000..10_002_000_u64).flat_map(|number| format!("{number}\n").into_bytes());
    let skipped = usize::try_from(from).unwrap();
    String::from_utf8(all.skip(skipped).take(length).collect()).unwrap()
}

pub(crate) async fn any_part_can_be_read(place: Fixture) {
    let sandbox = place.open().await;
    sandbox.start(sh("numbers", NUMBERS)).await.unwrap();
    exit_of(&*sandbox, "numbers").await;
    // A process that another test forks may hold the pipe open after the exit; this waits for the end of the stream.
    let end = read(&*sandbox, "numbers", Stdout, 18_000, TIMEOUT).await;
    assert!(end.bytes.is_empty() && end.end, "{end:?}");
    let mut at = 7_u64;
    for _ in 0..60 {
        at = at.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(11) % 18_000;
        let max = usize::try_from(at * 31 % 3_000).unwrap();
        let part = ReadOutput {
            process: id("numbers"),
            stream: Stdout,
            offset: at,
            max,
            wait: TIMEOUT,
        };
        let chunk = sandbox.read(part).await.unwrap();
        let expected = numbers(at, max);
        assert_eq!(String::from_utf8(chunk.bytes.clone()).unwrap(), expected);
        assert_eq!((chunk.offset, chunk.total), (at, 18_000));
        assert_eq!(chunk.end, chunk.next() == 18_000, "{at} {max}");
    }
    for offset in [18_000, 20_000, u64::MAX] {
        let chunk = read(&*sandbox, "numbers", Stdout, offset, TIMEOUT).await;
        assert!(chunk.bytes.is_empty() && chunk.end && chunk.total == 18_000);
    }
}

pub(crate) async fn two_readers_see_the_same(place: Fixture) {
    let sandbox = place.open().await;
    let script = format!("{NUMBERS}; echo other >&2");
    sandbox.start(sh("numbers", &script)).await.unwrap();
    let (one, two, other) = tokio::join!(
        read_all(&*sandbox, "numbers", Stdout),
        read_all(&*sandbox, "numbers", Stdout),
        read_all(&*sandbox, "numbers", Stderr),
    );
    assert_eq!(String::from_utf8(one.clone()).unwrap(), numbers(0, 18_000));
    assert_eq!((one, other), (two, b"other\n".to_vec()));
}

pub(crate) async fn a_reader_waits_for_what_comes(place: Fixture) {
    let sandbox = place.open().await;
    let mut spec = sh("echo", "while read line; do echo \"$line\"; done");
    spec.stdin = Stdin::Open;
    sandbox.start(spec).await.unwrap();
    let nothing = read(&*sandbox, "echo", Stdout, 0, Duration::from_millis(30)).await;
    assert_eq!(nothing, OutputChunk::new(0, Vec::new(), 0, false));
    let mut offset = 0;
    for word in ["one\n", "two\n", "three\n"] {
        let started = Instant::now();
        let (chunk, ()) = tokio::join!(
            read(&*sandbox, "echo", Stdout, offset, TIMEOUT * 10),
            async {
                let wrote = sandbox.write(&id("echo"), word.into(), false).await;
                wrote.unwrap();
            }
        );
        assert_eq!((chunk.offset, &*chunk.bytes), (offset, word.as_bytes()));
        assert!(started.elapsed() < TIMEOUT);
        offset = chunk.next();
    }
    let (chunk, ()) = tokio::join!(
        read(&*sandbox, "echo", Stdout, offset, TIMEOUT * 10),
        async {
            sandbox.write(&id("echo"), Vec::new(), true).await.unwrap();
        }
    );
    assert!(chunk.end && chunk.bytes.is_empty());
}

pub(crate) async fn the_oldest_output_goes_first(place: Fixture) {
    let sandbox = place.open().await;
    let mut spec = sh("much", "head -c 1000000 /dev/zero; printf end");
    spec.limits.output = 50_000;
    sandbox.start(spec).await.unwrap();
    exit_of(&*sandbox, "much").await;
    let mut chunk = read(&*sandbox, "much", Stdout, 0, TIMEOUT).await;
    assert_eq!(chunk.total, 1_000_003);
    assert!(
        chunk.offset > 0 && chunk.offset <= 950_003,
        "{}",
        chunk.offset
    );
    let mut bytes = Vec::new();
    let floor = chunk.offset;
    loop {
        bytes.extend(&chunk.bytes);
        if chunk.end {
            break;
        }
        chunk = read(&*sandbox, "much", Stdout, chunk.next(), TIMEOUT).await;
        assert_eq!(chunk.offset, floor + bytes.len() as u64);
    }
    assert_eq!(floor + bytes.len() as u64, 1_000_003);
    assert!(bytes.len() <= 200_000 && bytes.ends_with(b"\0end"));
}

pub(crate) async fn bytes_stay_as_they_are(place: Fixture) {
    let sandbox = place.open().await;
    let script = r"printf '\377\376\000\303\050caf\303\251\r\n'; printf '\200' >&2";
    sandbox.start(sh("bytes", script)).await.unwrap();
    let bytes = read_all(&*sandbox, "bytes", Stdout).await;
    assert_eq!(bytes, b"\xff\xfe\0\xc3\x28caf\xc3\xa9\r\n");
    assert_eq!(read_all(&*sandbox, "bytes", Stderr).await, b"\x80");
}

pub(crate) async fn a_large_output_is_whole(place: Fixture) {
    const SIZE: usize = 12_000_000;
    let sandbox = place.open().await;
    let script = format!("head -c {SIZE} /dev/zero | tr '\\0' x");
    sandbox.start(sh("large", &script)).await.unwrap();
    let bytes = read_all(&*sandbox, "large", Stdout).await;
    assert_eq!(bytes.len(), SIZE);
    assert!(bytes.iter().all(|&byte| byte == b'x'));
}

pub(crate) async fn a_flood_is_bounded(place: Fixture) {
    let sandbox = place.open().await;
    let mut spec = sh("flood", "exec yes");
    spec.limits.output = 100_000;
    spec.limits.wall_time = Some(Duration::from_secs(1));
    let name = "flood";
    sandbox.start(spec).await.unwrap();
    let mut offset = 0;
    loop {
        let chunk = read(&*sandbox, name, Stdout, offset, TIMEOUT).await;
        assert!(chunk.offset >= offset && chunk.bytes.len() <= 300_000);
        let expected = |at: u64| if at.is_multiple_of(2) { b'y' } else { b'\n' };
        let is_right = |(index, byte): (usize, &u8)| *byte == expected(chunk.offset + index as u64);
        assert!(chunk.bytes.iter().enumerate().all(is_right));
        offset = chunk.next();
        if chunk.end {
            break;
        }
    }
    assert_eq!(exit_of(&*sandbox, name).await, Exit::TimedOut);
    assert!(offset > 100_000);
    assert_eq!(
        run(&*sandbox, sh("after", "echo still")).await.stdout,
        "still\n"
    );
}
