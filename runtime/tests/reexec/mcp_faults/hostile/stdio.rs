//! Lines of standard input and output.

use std::io::{self, BufRead as _, Write};

use super::fault::Fault;
use super::script::{HostileScript, Step};

pub(super) fn serve(script: &HostileScript) -> ! {
    let mut output = io::BufWriter::new(io::stdout());
    match script.fault {
        Fault::DiesAtOnce => {
            eprintln!("looking for a module\nerror: cannot find module 'left-pad'");
            std::process::exit(3);
        }
        Fault::Greets => send(
            &mut output,
            b"Welcome to the server! Listening on standard input.",
        ),
        _ => {}
    }
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        if let Ok(message) = serde_json::from_str(&line) {
            for step in script.answer(&message) {
                play(&mut output, step);
            }
        }
    }
    if script.fault == Fault::HangsAtOnce {
        super::http::hang();
    }
    std::process::exit(0)
}

fn play(output: &mut impl Write, step: Step) {
    match step {
        Step::Send(message) => send(output, message.to_string().as_bytes()),
        Step::Repeat(message, times) => {
            let line = message.to_string();
            (0..times).for_each(|_| send(output, line.as_bytes()));
        }
        Step::Fill {
            before,
            bytes,
            after,
        } => {
            // The client may hang up in the middle, and then this is over.
            let done = output
                .write_all(before.as_bytes())
                .and_then(|()| super::http::fill(output, bytes))
                .and_then(|()| output.write_all(after.as_bytes()));
            if done.is_err() {
                std::process::exit(0);
            }
            send(output, b"");
        }
        Step::Prose(text) => send(output, text.as_bytes()),
        Step::Begin(text) => {
            if output
                .write_all(text.as_bytes())
                .and_then(|()| output.flush())
                .is_err()
            {
                std::process::exit(0);
            }
        }
        // It goes on reading, as most programs that hang do.
        Step::Hang => {}
        Step::Die => std::process::exit(1),
    }
}

fn send(output: &mut impl Write, line: &[u8]) {
    let written = output
        .write_all(line)
        .and_then(|()| output.write_all(b"\n"));
    if written.and_then(|()| output.flush()).is_err() {
        std::process::exit(0);
    }
}
