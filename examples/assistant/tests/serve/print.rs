//! What is to be pasted into the settings of clients.

use super::program::run;

const CLIENTS: [&str; 4] = ["claude", "cursor", "vscode", "codex"];

fn printed(flags: &[&str]) -> String {
    let all = CLIENTS.map(|client| {
        let arguments = [&["serve", "--print-config", client], flags].concat();
        run(&arguments)
    });
    all.join("\n")
}

#[test]
fn a_client_starts_the_program() {
    insta::assert_snapshot!(printed(&["--tools", "read_*", "--allow", "bash(git log:*)"]), @"");
}

#[test]
fn a_client_reaches_the_server() {
    let flags = ["--http", "localhost:8080", "--token-env", "ASSISTANT_TOKEN"];
    insta::assert_snapshot!(printed(&flags), @"");
}
