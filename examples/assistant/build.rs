//! Builds again when a file of a skill is added or removed, which `include_skills!` alone cannot see, and warns.

fn main() {
    helve::build::watch("skills");
}
