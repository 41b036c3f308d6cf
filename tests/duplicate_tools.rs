//! Two tools of one name: a binary of its own, since the catalogue is one a binary.

use helve::Registry;
use helve::prelude::*;

/// Says the time.
#[tool]
fn now() {}

mod elsewhere {
    /// Says the time too.
    #[helve::tool(name = "now")]
    pub(crate) fn later() {}
}

/// Says something else.
#[tool]
fn other() {}

#[test]
fn two_tools_of_one_name_are_an_error_that_shows_both_places() {
    let error = Registry::collect().expect_err("two tools are called `now`");
    insta::assert_snapshot!(error, @r#"
    two tools cannot have one name; rename one with `#[tool(name = "…")]`
      `now` in helve (tests/duplicate_tools.rs:8)
      `now` in helve (tests/duplicate_tools.rs:13)
    "#);
    let _ = (now, elsewhere::later, other);
}
