//! An app that knows helve as `grip`.
#![forbid(unsafe_code)]
#![deny(warnings)]

use std::process::ExitCode;
use std::sync::Arc;

use grip::prelude::*;

grip::include_skills!("skills");

/// How loud.
#[data(crate = grip)]
#[derive(Clone, Copy)]
enum Volume {
    /// Hardly.
    Quiet,
    /// Very.
    Loud,
}

/// Whom to greet.
#[data(crate = grip)]
struct Person {
    /// The name.
    name: String,
    /// How loud they like it.
    volume: Volume,
}

/// Greets somebody.
#[tool(read_only, crate = grip)]
async fn greet(
    /// Whom.
    person: Person,
    /// How often.
    #[arg(default = 1, min = 1, max = 3)]
    times: usize,
) -> String {
    let greeting = format!("hello {}", person.name);
    let greeting = match person.volume {
        Volume::Quiet => greeting,
        Volume::Loud => greeting.to_uppercase(),
    };
    vec![greeting; times].join(", ")
}

/// Counts words.
#[tool(blocking, read_only, crate = grip)]
fn count_words(
    /// The text.
    text: &str,
) -> usize {
    text.split_whitespace().count()
}

/// Reads the file of somebody's life. Its name is a built-in tool's, which is linked here and not granted.
#[tool(read_only, crate = grip)]
fn read_file() -> &'static str {
    "an open book"
}

struct Diary {
    owner: &'static str,
}

#[tools(crate = grip)]
impl Diary {
    /// Tells whose diary it is.
    #[tool(read_only)]
    fn owner(&self) -> &'static str {
        self.owner
    }
}

fn main() -> ExitCode {
    grip::app!()
        .pack(Diary::toolset(Arc::new(Diary { owner: "Ada" })))
        .pack(toolset![count_words].prefixed("also"))
        .main()
}
