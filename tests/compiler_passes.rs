//! What has to compile, in every shape that a tool can have: each case in `tests/ui/pass/` is built and run.
//!
//! It is apart from `compiler_messages`, since one case that is built makes trybuild build all of them.

#[test]
fn tools_of_every_shape_compile_and_run() {
    trybuild::TestCases::new().pass("tests/ui/pass/*.rs");
}
