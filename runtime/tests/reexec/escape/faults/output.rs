//! What commands write: much of it, for long, in one line, or nothing that is text.

use std::time::{Duration, Instant};

use helve_runtime::sandbox::{OutputStream, ProcessId, ReadOutput, Sandbox, Signal};

use crate::escape::app::{App, peak_memory_of};
use crate::escape::fixture::EscapeWorld;
use crate::escape::sandbox_runner::{finish, open, policy, process, spec};
use crate::escape::scenarios::{EscapeTest, expect};
use crate::escape::user_suite::UserSuite;

pub(super) const TESTS: &[EscapeTest] = &[
    ("flood_of_yes", flood),
    ("line_of_a_gigabyte", long_line),
    ("bytes_that_are_no_text", no_text),
    ("two_readers_and_offsets", two_readers),
    ("output_after_the_end", after_the_end),
];

/// How much memory the app and the supervisor may have used at most, in KiB.
const MAX_MEMORY_KIB: u64 = 160 << 10;

async fn chunk(
    sandbox: &dyn Sandbox,
    process: &ProcessId,
    offset: u64,
    max: usize,
) -> Result<helve_runtime::sandbox::OutputChunk, String> {
    let read = ReadOutput {
        process: process.clone(),
        stream: OutputStream::Stdout,
        offset,
        max,
        wait: Duration::from_secs(5),
    };
    sandbox.read(read).await.map_err(|error| error.to_string())
}

/// Reads a flood for some seconds, or to its end, and looks at every byte: line `k` of `yes` starts at byte `2k`.
pub(crate) async fn drain(sandbox: &dyn Sandbox, process: &ProcessId, seconds: &str) -> String {
    let until = Instant::now() + Duration::from_secs(seconds.parse().unwrap_or(1));
    let (mut offset, mut lost, mut seen, mut total) = (0_u64, 0, 0, 0);
    loop {
        let chunk = match chunk(sandbox, process, offset, 1 << 20).await {
            Ok(chunk) => chunk,
            Err(error) => return format!("error {error}"),
        };
        if chunk.offset < offset || chunk.next() > chunk.total || chunk.total < total {
            return format!(
                "error at {offset}: a chunk from {} of {} bytes, {} in total",
                chunk.offset,
                chunk.bytes.len(),
                chunk.total
            );
        }
        let wrong = chunk.bytes.iter().enumerate().find(|(at, byte)| {
            let even = (chunk.offset + *at as u64).is_multiple_of(2);
            **byte != if even { b'y' } else { b'\n' }
        });
        if let Some((at, byte)) = wrong {
            return format!("error: byte {} is {byte}", chunk.offset + at as u64);
        }
        lost += chunk.offset - offset;
        seen += chunk.bytes.len() as u64;
        total = chunk.total;
        offset = chunk.next();
        if Instant::now() > until && sandbox.signal(process, Signal::Kill).await.is_err() {
            return "error: it could not be killed".to_owned();
        }
        if chunk.end {
            return format!("drained {seen} skipped {lost} total {total}");
        }
    }
}

/// Looks at the memory of an app and its supervisor.
fn check_memory(app: &App, said: &str) -> Result<(), String> {
    let family = app.descendants();
    let [own, supervisor] = [
        peak_memory_of(&app.pid().to_string()),
        family
            .first()
            .map_or(0, super::super::app::ProcessHandle::peak_memory),
    ];
    println!("{said}; at most {own} KiB of memory in the app, {supervisor} in the supervisor");
    expect(own < MAX_MEMORY_KIB && supervisor < MAX_MEMORY_KIB, || {
        format!("too much memory: {own} KiB, {supervisor} KiB")
    })
}

fn numbers(said: &str) -> Vec<u64> {
    said.split(' ')
        .filter_map(|word| word.parse().ok())
        .collect()
}

fn flood(half: &'static UserSuite) -> Result<(), String> {
    let seconds = if std::env::var_os("HELVE_SOAK").is_some() {
        60
    } else {
        2
    };
    let world = EscapeWorld::new(half);
    let mut app = App::start(&world, &[], "");
    let opened = app.read_line();
    expect(opened.starts_with("open "), || opened.clone())?;
    app.send("start exec yes");
    let said = app.send(&format!("drain {seconds}"));
    check_memory(&app, &format!("`yes` for {seconds} seconds: {said}"))?;
    let [seen, skipped, total] = numbers(&said)[..] else {
        return Err(said);
    };
    expect(seen + skipped == total && total > 1 << 20, || said.clone())?;
    let closed = app.end();
    expect(closed == "closed", || closed.clone())
}

fn long_line(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    let mut app = App::start(&world, &[], "");
    let opened = app.read_line();
    expect(opened.starts_with("open "), || opened.clone())?;
    let line = "head -c 1073741824 /dev/zero";
    let status = app.send(&format!("start exec {line}"));
    expect(status == "started", || status.clone())?;
    let said = app.send("total");
    check_memory(&app, &format!("a line of a gigabyte: {said}"))?;
    expect(numbers(&said) == [1 << 30], || said.clone())?;
    let closed = app.end();
    expect(closed == "closed", || closed.clone())
}

fn no_text(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    half.runtime.block_on(async {
        let sandbox = open(policy(&world)).await?;
        let script = r"printf '\377\376\000\303(\r\n\033[31m\355\240\200'; printf '\200' >&2";
        let ran = finish(
            &sandbox,
            spec("bytes", script, &world.environment("sandbox")),
        )
        .await?;
        expect(
            ran.stdout == b"\xff\xfe\0\xc3(\r\n\x1b[31m\xed\xa0\x80",
            || format!("{:?}", ran.stdout),
        )?;
        expect(ran.stderr == b"\x80", || format!("{:?}", ran.stderr))?;
        sandbox.close().await.map_err(|error| error.to_string())
    })
}

/// Two readers do not disturb each other, and an offset means the same byte for ever.
fn two_readers(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    half.runtime.block_on(async {
        let sandbox = open(policy(&world)).await?;
        let id = process("numbers");
        let ran = finish(
            &sandbox,
            spec(
                "numbers",
                "i=0; while [ $i -lt 20000 ]; do printf '%07d\n' $i; i=$((i+1)); done",
                &world.environment("sandbox"),
            ),
        )
        .await?;
        expect(ran.stdout.len() == 160_000, || {
            format!("{} bytes", ran.stdout.len())
        })?;
        for (line, max) in [(0, 8), (19_999, 100), (777, 3), (5000, 1 << 30)] {
            let part = chunk(&sandbox, &id, line * 8, max).await?;
            let wanted = format!("{line:07}\n");
            expect(
                part.offset == line * 8 && part.bytes.starts_with(&wanted.as_bytes()[..8.min(max)]),
                || format!("line {line}: {part:?}"),
            )?;
        }
        let beyond = chunk(&sandbox, &id, 999_999_999, 8).await?;
        expect(
            beyond.bytes.is_empty() && beyond.end && beyond.total == 160_000,
            || format!("{beyond:?}"),
        )?;
        let nothing = chunk(&sandbox, &id, 0, 0).await?;
        expect(nothing.bytes.is_empty(), || format!("{nothing:?}"))?;
        sandbox.close().await.map_err(|error| error.to_string())
    })
}

/// What a child writes after its parent ended is there, too.
fn after_the_end(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    half.runtime.block_on(async {
        let sandbox = open(policy(&world)).await?;
        let script = "(while [ ! -e go ]; do :; done; echo second) & echo first; exit 3";
        sandbox
            .start(spec("parent", script, &world.environment("sandbox")))
            .await
            .map_err(|error| error.to_string())?;
        let id = process("parent");
        let status = sandbox
            .status(&id, Duration::from_secs(20))
            .await
            .map_err(|error| error.to_string())?;
        std::fs::write(world.workspace.join("go"), "").map_err(|error| error.to_string())?;
        let mut all = Vec::new();
        loop {
            let part = chunk(&sandbox, &id, all.len() as u64, 64).await?;
            all.extend(part.bytes);
            if part.end {
                break;
            }
        }
        println!(
            "a parent that ended before its child is told as {:?}, with {:?}",
            status.exit,
            String::from_utf8_lossy(&all)
        );
        expect(
            status.exit == Some(helve_runtime::sandbox::Exit::Code(3)),
            || format!("{status:?}"),
        )?;
        expect(all.starts_with(b"first\n"), || format!("{all:?}"))?;
        sandbox.close().await.map_err(|error| error.to_string())
    })
}
