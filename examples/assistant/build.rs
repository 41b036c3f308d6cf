//! Builds again when a file of a skill is added or removed, which `include_skills!` alone cannot see.

fn main() {
    println!("cargo::rerun-if-changed=skills");
}
