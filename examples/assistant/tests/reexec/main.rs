//! Tests whose program starts itself again, as an MCP server; so it has a `main` of its own.

mod mcp;

use libtest_mimic::Arguments;

fn main() {
    if mcp::run_as_role() {
        return;
    }
    libtest_mimic::run(&Arguments::from_args(), mcp::tests()).exit();
}
