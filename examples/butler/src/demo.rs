//! `demo`: commands that a user would type over several days. The replies of the model are recorded in `demo.jsonl`.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use helve::model::Recording;

/// The replies: recordings one after the other, each with the prompt of the user if there is one.
const RECORDINGS: &str = include_str!("../demo.jsonl");

/// The commands, with what there is to see. A command with a `PROMPT`, and the daemon, replay the next recording.
const STEPS: [(&str, &str); 8] = [
    ("What you say in one session …", "run PROMPT"),
    (
        "… is recalled in the next, with its age and origin; a skill says what to do.",
        "run PROMPT",
    ),
    (
        "A time in words becomes a schedule. The flag stands for your answer to the question.",
        "run PROMPT --allow schedule_create",
    ),
    ("It is listed, and due on the next weekday.", "schedule"),
    (
        "The demonstration does not wait so long: a run is due now.",
        "schedule run morning-briefing",
    ),
    (
        "The daemon works on what is due, while no person is present.",
        "daemon --once",
    ),
    (
        "A letter wanted something remembered. It is not among the entries …",
        "memory",
    ),
    (
        "… and waits until you accept it with `--accept ID`, or reject it with `--reject ID`.",
        "memory review",
    ),
];

/// Describes the command.
pub(crate) fn command() -> clap::Command {
    clap::Command::new("demo").about("Play several sessions, without an API key or a network")
}

/// Plays the demonstration in a folder of its own, which is removed at the end.
pub(crate) fn play() -> ExitCode {
    let folder = env::temp_dir().join(format!("butler-{}", std::process::id()));
    let played = fs::create_dir_all(&folder)
        .map_err(Into::into)
        .and_then(|()| play_in(&folder));
    let _ = fs::remove_dir_all(&folder);
    match played {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn play_in(folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "The model's messages are recorded; all else is real, in {}.",
        folder.display()
    );
    let mut recordings = RECORDINGS.trim().split("\n\n");
    for (about, line) in STEPS {
        let mut arguments: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let mut shown = line.to_owned();
        let mut replay = None;
        if matches!(&*arguments[0], "run" | "daemon") {
            let text = recordings.next().ok_or("a recording is missing")?;
            let recording = Recording::parse(text)?;
            let prompt = recording.prompt().unwrap_or_default();
            for argument in arguments
                .iter_mut()
                .filter(|argument| *argument == "PROMPT")
            {
                prompt.clone_into(argument);
            }
            shown = line.replace("PROMPT", &format!("\"{prompt}\""));
            fs::write(folder.join("replies.jsonl"), text)?;
            replay = Some(["--replay", "replies.jsonl"]);
        }
        println!("\n# {about}\n$ butler {shown}");
        // The settings of the user do not matter here.
        let ended = Command::new(env::current_exe()?)
            .args(arguments)
            .args(replay.into_iter().flatten())
            .current_dir(folder)
            .env("HOME", folder)
            .env("HELVE_STATE", folder.join("state"))
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_DATA_HOME")
            .stdin(Stdio::null())
            .status()?;
        if !ended.success() {
            return Err(format!("`butler {shown}` ended with {ended}").into());
        }
    }
    Ok(())
}
