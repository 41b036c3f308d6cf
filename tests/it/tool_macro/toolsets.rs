//! Choosing and composing tools.

use super::*;

/// Reads.
#[tool(read_only)]
fn read_file() -> String {
    "read".into()
}

/// Writes.
#[tool]
fn write_file() -> String {
    "written".into()
}

/// Reads too.
#[tool(read_only, name = "fetch")]
fn called_otherwise() -> String {
    "fetched".into()
}

fn names(tools: &Toolset) -> String {
    tools.names().join(" ")
}

#[tokio::test]
async fn select_by_function_and_compose() {
    let all = toolset![write_file, read_file, called_otherwise];
    assert_eq!(names(&all), "fetch read_file write_file");
    assert_eq!(
        names(&all.prefixed("my")),
        "my_fetch my_read_file my_write_file"
    );
    let readers = all.filtered(|spec| spec.annotations.read_only == Some(true));
    assert_eq!(names(&readers), "fetch read_file");
    assert_eq!(
        names(&all.only(["read_file"]).prefixed("my")),
        "my_read_file"
    );
    let renamed = all.only(["fetch"]).prefixed("my");
    let said = renamed
        .call("my_fetch", "", &ToolContext::new())
        .await
        .unwrap();
    assert_eq!(said.text(), "fetched");
}

#[test]
fn warn_of_names_that_no_tool_has_with_the_nearest() {
    let tools = toolset![read_file, write_file].only(["read_fil", "xyzzy", "write_file"]);
    assert_eq!(names(&tools), "write_file");
    assert_snapshot!(tools.warnings().join("\n"), @"
    no tool is called `read_fil`; did you mean `read_file`?
    no tool is called `xyzzy`
    ");
}

#[tokio::test]
async fn put_the_upper_layer_first() {
    let above = toolset![called_otherwise].prefixed("x");
    let below = toolset![read_file, write_file];
    assert_eq!(
        names(&above.layered(&below)),
        "read_file write_file x_fetch"
    );
}

#[tokio::test]
async fn name_the_nearest_tool_for_one_that_is_not_there() {
    let error = toolset![read_file]
        .call("read_fiel", "", &ToolContext::new())
        .await
        .unwrap_err();
    assert_snapshot!(format!("{}: {error}", error.kind()), @"not_available: unknown tool `read_fiel`; did you mean `read_file`?");
}

#[test]
#[should_panic = "toolset!: `names` is not a tool: put `#[tool]` on the function"]
fn refuse_a_function_that_is_no_tool() {
    let _ = toolset![names];
}

#[test]
fn leave_the_registry_as_it_is() {
    let linked = Registry::linked();
    let is_linked = |name: &str| linked.iter().any(|tool| tool.name() == name);
    assert!(is_linked("fetch"));
    assert!(!is_linked("called_otherwise"));
    assert!(!is_linked("my_fetch"));
}
