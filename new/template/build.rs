//! Builds again when a skill is added or removed.

fn main() {
    helve::build::watch("skills");
}
