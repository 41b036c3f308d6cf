//! Errors, denials and panics, as the model reads them.

use super::*;

#[derive(Debug)]
struct Outer(std::io::Error);

impl std::fmt::Display for Outer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the list cannot be read")
    }
}

impl std::error::Error for Outer {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

enum Own {
    Refused,
}

impl From<Own> for ToolError {
    fn from(_: Own) -> Self {
        Self::Denied(Denial::new("not on Sundays"))
    }
}

/// Fails.
#[tool]
async fn standard() -> Result<(), Outer> {
    Err(Outer(std::io::Error::other("the disk is gone")))
}

/// Fails.
#[tool]
fn text() -> Result<u32, String> {
    Err("no such thing".into())
}

/// Fails.
#[tool(blocking)]
fn any() -> anyhow::Result<u32> {
    Err(anyhow::anyhow!("the disk is gone").context("the list cannot be read"))
}

/// Fails.
#[tool]
async fn own() -> Result<u32, Own> {
    Err(Own::Refused)
}

/// Is denied.
#[tool]
async fn denied_inside() -> anyhow::Result<u32> {
    Err(anyhow::Error::from(Denial::new("not on Sundays")).context("the shop is closed"))
}

/// Asks for files that it did not declare.
#[tool]
async fn refused_inside(cx: &ToolContext) -> anyhow::Result<u32> {
    cx.fs()
        .map_err(|refusal| anyhow::Error::from(refusal).context("the list cannot be read"))?;
    Ok(1)
}

/// Panics.
#[tool]
async fn panics() -> u32 {
    panic!("at the {}", "disco")
}

/// Panics.
#[tool(blocking)]
fn panics_blocking() -> u32 {
    panic!("at the disco")
}

#[tokio::test]
async fn are_told_with_their_causes_and_denials_stay_denials() {
    let context = ToolContext::new();
    let mut all = Vec::new();
    let tools = toolset![
        standard,
        text,
        any,
        own,
        denied_inside,
        refused_inside,
        panics,
        panics_blocking
    ];
    for tool in tools.tools() {
        let said = call_tool_text(&*tool, "", &context).await;
        all.push(format!("{}\n  {said}", tool.spec().name));
    }
    assert_snapshot!(all.join("\n"), @"
    any
      failed: the list cannot be read: the disk is gone
    denied_inside
      denied: the shop is closed: not on Sundays
    own
      denied: not on Sundays
    panics
      failed: the tool panicked, which is a defect in it: at the disco
    panics_blocking
      failed: the tool panicked, which is a defect in it: at the disco
    refused_inside
      denied: the list cannot be read: this tool did not declare that it uses files; declare `requires(fs)` on the tool
    standard
      failed: the list cannot be read: the disk is gone
    text
      failed: no such thing
    ");
}

/// Panics where its value is read.
#[derive(Debug)]
struct Brittle;

impl<'de> serde::Deserialize<'de> for Brittle {
    fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        panic!("cannot be read")
    }
}

impl schemars::JsonSchema for Brittle {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Brittle".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string" })
    }
}

/// Takes what cannot be read.
#[tool]
fn takes_brittle(
    /// What cannot be read.
    value: Brittle,
) -> String {
    unreachable!("{value:?} cannot be read")
}

/// Cannot be judged.
#[tool(risk_with = panics_in_judging)]
fn judged(
    /// How much.
    amount: u32,
) -> u32 {
    amount
}

fn panics_in_judging(amount: &u32) -> Risk {
    panic!("no idea about {amount}")
}

#[tokio::test]
async fn a_panic_before_the_body_is_a_failed_call_too() {
    let context = ToolContext::new();
    let read = call_text(|| toolset![takes_brittle], r#"{"value":"x"}"#, &context).await;
    assert_eq!(
        read,
        "failed: the tool panicked, which is a defect in it: cannot be read"
    );
    let tool = &toolset![judged].tools()[0];
    let judged = dispatch::facts(&**tool, &context, r#"{"amount":2}"#).unwrap_err();
    assert_eq!(
        judged.to_string(),
        "the tool panicked, which is a defect in it: no idea about 2"
    );
}
