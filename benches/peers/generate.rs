/// How many tools there are to write: `PEERS_TOOLS`, or two hundred.
fn count() -> usize {
    std::env::var("PEERS_TOOLS").map_or(200, |count| count.parse().expect("PEERS_TOOLS is a number"))
}

/// Writes as many tools.
fn generate(head: &str, tool: impl Fn(usize) -> String, tail: &str) {
    println!("cargo::rerun-if-env-changed=PEERS_TOOLS");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../generate.rs");
    let tools: String = (0..count()).map(tool).collect();
    let folder = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(format!("{folder}/tools.rs"), format!("{head}{tools}{tail}")).expect("OUT_DIR can be written to");
}
