//! What embedding costs: the compiler's time and the binary's size, against a bare `include_bytes!` for each file, and a
//! catalogue at start-up.
//!
//! The programs are compiled by the compiler alone, against the libraries that this benchmark is linked with.

mod programs;
mod tree;

use std::path::PathBuf;
use std::time::Duration;

use crate::harness::{Bar, Row, measure_alternately, nanos};
use programs::Program;

const COMPILATIONS: usize = 5;
const STARTS: usize = 50;

pub(crate) fn rows() -> Vec<Row> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("skills");
    let tree = tree::Tree::lay_out(&folder);
    let Some(compiler) = programs::Compiler::find(&folder) else {
        eprintln!("no rows of skills: cargo has left no library of helve beside this benchmark");
        return Vec::new();
    };
    let (ours, bare) = (Program::embedding(tree::TREE), Program::bare(&tree.files));
    let compilation = Row {
        what: "embedding 400 files of 10 MB, the compiler's processor time",
        against: "`include_bytes!` a file",
        bar: Bar::Ratio(1.15),
        rounds: measure_alternately(
            COMPILATIONS,
            || compiler.processor_time(&ours),
            || compiler.processor_time(&bare),
        ),
    };
    let few = compiler.size(&Program::embedding(tree::ONE));
    let many = compiler.size(&ours);
    let size = Row {
        what: "the binary, beyond that with one small skill",
        against: "the files",
        bar: Bar::SizeRatio(1.01),
        rounds: vec![((many - few) as f64, tree.bytes as f64)],
    };
    let (embedded, empty) = (
        compiler.compile(&Program::embedding(tree::MANY)),
        compiler.compile(&Program::embedding(tree::ONE)),
    );
    let start = Row {
        what: "a catalogue of 2,000 skills, collected at start-up",
        against: "one of one skill",
        bar: Bar::Time(Duration::from_millis(1)),
        rounds: measure_alternately(
            STARTS,
            || nanos(programs::collecting(&embedded, tree::MANY_SKILLS)),
            || nanos(programs::collecting(&empty, 1)),
        ),
    };
    vec![compilation, size, start]
}
