//! A whole assistant in one binary: file tools, the time anywhere, an embedded skill, and a recorded demonstration.
//!
//! Try `assistant demo`, `assistant tools`, `assistant call grep --pattern 'fn main'`.

helve::include_skills!("skills");

fn main() -> std::process::ExitCode {
    helve::app!()
        .pack(helve::tools::files())
        .pack(helve::tools::shell())
        .pack(helve::tools::datetime())
        .pack(helve::tools::todo())
        .pack(helve::tools::ask_user())
        .instructions("You help with the files below the current folder. Look before you answer, and name the files.")
        .demo(include_str!("../demo.jsonl"))
        .main()
}
