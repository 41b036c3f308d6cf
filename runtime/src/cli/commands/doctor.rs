//! `doctor`: what this binary has, what this machine enforces, and how to mend what is missing.

use std::collections::BTreeMap;
use std::process::ExitCode;

use clap::Command;

use crate::cli::assembly::Assembly;
use crate::cli::output;
use crate::registry::Registry;
use crate::sandbox::PathResolution;

pub(super) fn command() -> Command {
    Command::new("doctor").about("Checks what this binary has and what this machine enforces")
}

/// One line of the report.
struct Finding {
    subject: &'static str,
    state: State,
    text: String,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Ok,
    /// Worth knowing; nothing is broken.
    Note,
    /// Less is enforced, or less works, than one would think.
    Problem,
}

pub(super) fn run(assembly: &Assembly) -> ExitCode {
    let mut findings = vec![version(assembly)];
    findings.extend(packs(assembly));
    findings.extend(warnings(assembly));
    findings.push(panics());
    findings.push(files(assembly));
    findings.push(doors());
    findings.push(sandbox());
    findings.push(model(assembly));
    for Finding {
        subject,
        state,
        text,
    } in &findings
    {
        let mark = match state {
            State::Ok => "ok  ",
            State::Note => "note",
            State::Problem => "!!  ",
        };
        output::line(&format!("{mark}  {subject:9}  {text}"));
    }
    let sound = findings
        .iter()
        .all(|finding| finding.state != State::Problem);
    if sound {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn version(assembly: &Assembly) -> Finding {
    let package = assembly.package;
    let text = format!(
        "{} {}, helve {}, {} {}",
        package.name,
        package.version,
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        std::env::consts::ARCH
    );
    Finding {
        subject: "version",
        state: State::Ok,
        text,
    }
}

/// Lists the packages whose tools are linked, and what of them the app grants.
fn packs(assembly: &Assembly) -> Vec<Finding> {
    let mut packs: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for tool in Registry::linked() {
        let (linked, granted) = packs.entry(tool.package()).or_default();
        *linked += 1;
        *granted += usize::from(assembly.grants_tool(tool));
    }
    if packs.is_empty() {
        let text = "no tools are linked: name a pack with `.pack(…)` or `helve::link_tools!(…)`"
            .to_owned();
        return vec![Finding {
            subject: "tools",
            state: State::Note,
            text,
        }];
    }
    let describe = |(package, (linked, granted)): (&str, (usize, usize))| {
        let state = if granted == 0 { State::Note } else { State::Ok };
        Finding {
            subject: "tools",
            state,
            text: format!("{package}: {granted} of {linked} granted"),
        }
    };
    packs.into_iter().map(describe).collect()
}

fn warnings(assembly: &Assembly) -> Vec<Finding> {
    let finding = |text| Finding {
        subject: "tools",
        state: State::Problem,
        text,
    };
    assembly
        .toolset
        .warnings()
        .into_iter()
        .map(finding)
        .collect()
}

fn panics() -> Finding {
    if cfg!(panic = "unwind") {
        let text = "a panic in a tool is a failed call".to_owned();
        return Finding {
            subject: "panics",
            state: State::Ok,
            text,
        };
    }
    let text = "a panic in a tool ends the process: this binary was built with `panic = \"abort\"`"
        .to_owned();
    Finding {
        subject: "panics",
        state: State::Note,
        text,
    }
}

fn files(assembly: &Assembly) -> Finding {
    let Some(files) = &assembly.grants.files else {
        let text = "not granted: built without the feature `files`".to_owned();
        return Finding {
            subject: "files",
            state: State::Note,
            text,
        };
    };
    let roots: Vec<String> = files
        .roots()
        .iter()
        .map(|root| root.display().to_string())
        .collect();
    let roots = roots.join(", ");
    match files.resolution() {
        PathResolution::Kernel => Finding {
            subject: "files",
            state: State::Ok,
            text: format!("below {roots}; the kernel resolves every path below its root (openat2)"),
        },
        _ => Finding {
            subject: "files",
            state: State::Problem,
            text: format!(
                "below {roots}; paths are checked before they are used, which a race can pass: Linux has better"
            ),
        },
    }
}

fn doors() -> Finding {
    let text =
        "processes, network, secrets, storage and attachments are not granted in this version"
            .to_owned();
    Finding {
        subject: "doors",
        state: State::Note,
        text,
    }
}

fn sandbox() -> Finding {
    let text = "none yet: tools run inside this process, and reach files only through their door"
        .to_owned();
    Finding {
        subject: "sandbox",
        state: State::Note,
        text,
    }
}

fn model(assembly: &Assembly) -> Finding {
    let text = match &assembly.model {
        Some(_) => "one is set".to_owned(),
        None => "none: `run` needs `.model(…)` or `--replay FILE`".to_owned(),
    };
    Finding {
        subject: "model",
        state: State::Note,
        text,
    }
}
