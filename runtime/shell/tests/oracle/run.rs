//! The test itself: starts the workers and sums up what they tell.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ExitCode, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Instant;

use crate::generate::{CLASSES, Corpus, kinds};
use crate::report::Report;
use crate::stage::{Missing, Stage};
use crate::worker::{Task, work};

const EVERYDAY: &str = include_str!("../it/everyday.txt");

pub(crate) fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [role, seed, lines, sed, own, of] = &*arguments
        && role == "worker"
    {
        let task = Task {
            seed: seed.parse().unwrap_or(0),
            lines: lines.parse().unwrap_or(0),
            sed: sed.parse().unwrap_or(0),
            share: (own.parse().unwrap_or(0), of.parse().unwrap_or(1)),
        };
        return match work(&task, corpus()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        };
    }
    if arguments.iter().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let stage = match Stage::prepare() {
        Ok(stage) => stage,
        Err(Missing(why)) => return not_run(&why),
    };
    test(&stage)
}

/// The real lines; `⏎` stands for the end of a line. Those of the class `reads` count as harmless.
fn corpus() -> Corpus {
    let mut corpus = Corpus::default();
    let mut is_harmless = false;
    for line in EVERYDAY.lines() {
        if let Some(class) = line.strip_prefix("## ") {
            is_harmless = class == "reads";
        } else if !line.is_empty() && (line.contains('⏎') || !line.starts_with("# ")) {
            corpus.add(line.replace('⏎', "\n"), is_harmless);
        }
    }
    corpus
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable)
        .ok()
        .and_then(|value| value.parse().ok())
        .unwrap_or(otherwise)
}

/// Says that the oracle did not run, which is a failure where it has to.
fn not_run(why: &str) -> ExitCode {
    if std::env::var_os("HELVE_ORACLE_REQUIRED").is_some() {
        println!("oracle: failed, HELVE_ORACLE_REQUIRED is set and {why}");
        return ExitCode::FAILURE;
    }
    println!("oracle: not run, {why}");
    ExitCode::SUCCESS
}

fn test(stage: &Stage) -> ExitCode {
    if let Some(why) = crate::isolation::unavailable_reason() {
        return not_run(&format!("the kernel refuses user namespaces ({why})"));
    }
    let lines = number("HELVE_ORACLE_LINES", 20_000);
    let sed = number("HELVE_ORACLE_SED", 0);
    let seed = number("HELVE_ORACLE_SEED", 1);
    let workers = if std::env::var_os("HELVE_ORACLE_LINE").is_some() {
        1
    } else {
        thread::available_parallelism().map_or(1, usize::from) as u64
    };
    println!("oracle: seed {seed}, {lines} lines, {workers} workers");
    let begin = Instant::now();
    let (sender, told) = channel();
    let mut children = Vec::new();
    for index in 0..workers {
        let own_seed = seed.wrapping_mul(0x1_0000).wrapping_add(index);
        let numbers = [own_seed, lines / workers, sed / workers, index, workers];
        let numbers = numbers.iter().map(u64::to_string);
        let task: Vec<String> = std::iter::once("worker".to_owned())
            .chain(numbers)
            .collect();
        let started = stage.worker(&task).stdout(Stdio::piped()).spawn();
        let Ok(mut child) = started else {
            return not_run("there is no `setpriv`");
        };
        if let Some(output) = child.stdout.take() {
            let sender = sender.clone();
            thread::spawn(move || {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    let _ = sender.send(line);
                }
            });
        }
        children.push(child);
    }
    drop(sender);
    let report = listen(told);
    let failed = children.iter_mut().map(has_succeeded);
    let failed = failed.filter(|succeeded| !succeeded).count();
    summary(&report, begin.elapsed().as_secs_f64());
    verdict(&report, failed)
}

/// Says what is wrong, if anything is.
fn verdict(report: &Report, failed: usize) -> ExitCode {
    let mut faults = below_floors(report);
    faults.extend(too_few(report));
    if failed > 0 {
        faults.push(format!("{failed} workers failed"));
    }
    for name in ["violations", "specs not covered", "differed from bash -c"] {
        if report.count(name) > 0 {
            faults.push(format!("{name}: {}", report.count(name)));
        }
    }
    let absent = absent(report);
    if !absent.is_empty() && std::env::var_os("HELVE_ORACLE_REQUIRED").is_some() {
        faults.push(format!(
            "HELVE_ORACLE_REQUIRED is set and there is no {absent}"
        ));
    }
    for fault in &faults {
        println!("oracle: {fault}");
    }
    if faults.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// The programs of the specs that are not installed.
fn absent(report: &Report) -> String {
    let absent: Vec<&str> = report
        .below("not installed ")
        .map(|(name, _)| name)
        .collect();
    absent.join(" ")
}

/// Kinds of lines of which too few were generated, and classes of which too few attacks do anything.
fn too_few(report: &Report) -> Vec<String> {
    const LEAST: u64 = 100;
    const LEAST_ATTACKS: u64 = 16;
    let mut faults = Vec::new();
    for kind in kinds() {
        let count = report.count(&format!("generated {kind}"));
        if count < LEAST {
            faults.push(format!(
                "only {count} lines of the kind {kind} were generated"
            ));
        }
    }
    for class in CLASSES {
        let attacks = report.count(&format!("attacks {}", class.name));
        let acting = report.count(&format!("acting attacks {}", class.name));
        if attacks < LEAST_ATTACKS || acting * 2 < attacks {
            faults.push(format!(
                "of {attacks} attacks of the class {} only {acting} act",
                class.name
            ));
        }
    }
    faults
}

/// Constructs of which too little that is harmless is allowed.
fn below_floors(report: &Report) -> Vec<String> {
    let allowed = |kind: &str| report.count(&format!("harmless allowed {kind}"));
    report
        .below("harmless ")
        .filter(|(kind, _)| !kind.starts_with("allowed "))
        .filter(|(kind, count)| {
            let percent = if *kind == "everyday" { 95 } else { 90 };
            allowed(kind) * 100 < count * percent
        })
        .map(|(kind, count)| {
            format!(
                "of harmless lines ({kind}) {} of {count} are allowed",
                allowed(kind)
            )
        })
        .collect()
}

fn has_succeeded(child: &mut Child) -> bool {
    child.wait().is_ok_and(|status| status.success())
}

fn listen(told: std::sync::mpsc::Receiver<String>) -> Report {
    let mut report = Report::default();
    let mut out = std::env::var_os("HELVE_ORACLE_OUT")
        .and_then(|path| OpenOptions::new().create(true).append(true).open(path).ok());
    for line in told {
        match line.split_once('\t') {
            Some(("count", count)) => report.take(count),
            Some(("done", _)) => {}
            _ => {
                println!("{line}");
                if let Some(out) = &mut out {
                    let _ = writeln!(out, "{line}");
                }
            }
        }
    }
    report
}

/// Shows how many lines of each kind were allowed, and how many of the harmless ones.
fn table(report: &Report) {
    println!(
        "{:<24}{:>10}{:>10}{:>8}   {:>8}  acting attacks",
        "construct", "generated", "allowed", "share", "harmless"
    );
    let kinds = kinds().chain(["everyday", "sed", "spec", "spec mixed", "mutated", "soup"]);
    for kind in kinds {
        let count = |prefix: &str| report.count(&format!("{prefix} {kind}"));
        let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let (generated, allowed, harmless) =
            (count("generated"), count("allowed"), count("harmless"));
        let mut row = format!(
            "{kind:<24}{generated:>10}{allowed:>10}{:>7.1}%",
            share(allowed, generated)
        );
        if harmless > 0 {
            row += &format!("   {:>7.1}%", share(count("harmless allowed"), harmless));
        }
        if count("attacks") > 0 {
            row += &format!("  {} of {}", count("acting attacks"), count("attacks"));
        }
        println!("{row}");
    }
}

fn summary(report: &Report, seconds: f64) {
    table(report);
    for name in [
        "generated",
        "executed",
        "executed read-only",
        "executed edit",
        "executed covered",
        "run in bypass",
        "programs",
        "compared",
        "differed from bash -c",
        "specs",
        "specs covered",
        "specs refused",
        "specs not covered",
        "took too long",
        "did more than the log holds",
        "violations",
    ] {
        println!("{name}: {}", report.count(name));
    }
    let absent = absent(report);
    if !absent.is_empty() {
        println!("not installed here, so that their specs were not tried: {absent}");
    }
    for (name, microseconds) in report.below("microseconds ") {
        println!("{name}: {:.1} s", microseconds as f64 / 1e6);
    }
    println!(
        "{seconds:.1} s, {:.0} lines a second",
        report.count("executed") as f64 / seconds
    );
}
