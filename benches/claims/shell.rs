//! A verdict for a command line of the shell.

use std::hint::black_box;
use std::time::Duration;

use helve::permission::shell;
use helve::prelude::*;

use crate::harness::{Bar, Row, measure_alternately, nanos_per_run};

const ROUNDS: usize = 60;
const RUNS: u32 = 2_000;

pub(crate) fn rows() -> Vec<Row> {
    let plain = "git status --short";
    let joined = "cd src && grep -rn 'fn main' . | head -n 20";
    let nested = "for f in *.rs; do wc -l \"$f\"; done";
    [
        ("a verdict for a shell command", plain),
        ("a verdict for three of them in one line", joined),
        ("a verdict for a loop, read by tree-sitter", nested),
    ]
    .into_iter()
    .map(|(what, command)| Row {
        what,
        against: "splitting it at blanks",
        bar: Bar::Time(Duration::from_micros(if command == nested {
            100
        } else {
            10
        })),
        rounds: rounds(command),
    })
    .collect()
}

fn rounds(command: &'static str) -> Vec<(f64, f64)> {
    let context = ToolContext::new();
    measure_alternately(
        ROUNDS,
        || {
            nanos_per_run(RUNS, || {
                black_box(shell::check(&context, black_box(command)));
            })
        },
        || {
            nanos_per_run(RUNS, || {
                let words: Vec<String> = black_box(command).split(' ').map(str::to_owned).collect();
                black_box(words);
            })
        },
    )
}
