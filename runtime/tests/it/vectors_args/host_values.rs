//! Values that come from the host and not from the model, and results as JSON.
//!
//! Where others let the host overwrite what the model gave, helve does not let the model give it: a parameter that the
//! host fills is state, and stands in no schema. What the tool gets is the same.

use std::sync::Arc;

use futures_util::future::FutureExt;
use helve_runtime::schema::{Mistakes, explain, from_value};
use helve_runtime::tool::{
    Facts, PreparedCall, State, Tool, ToolContext, ToolError, ToolOutput, ToolSpec, dispatch,
};
use serde_json::{Map, Value, json};

use super::vectors::{Case, Tally, load_topic};

/// Where helve differs, and why.
const DIFFERENCES: &[(&str, &str)] = &[];

#[tokio::test]
async fn tool_args() {
    let Some(cases) = load_topic("tool_args") else {
        return;
    };
    let mut tally = Tally::new("tool_args");
    for case in &cases {
        match case.function.as_str() {
            "_apply_system_context_overrides" | "_prepare_tool_kwargs" => {
                let found = called(case).await;
                tally.compare(case, &found, &case.expected);
            }
            "_normalize_kwargs_by_schema" => {
                let tool = Echo::of(case, &Map::new(), &[]);
                let found = echoed(&tool, &ToolContext::new(), &case.input["kwargs"]).await;
                tally.compare(case, &found.expect("it fits"), &case.expected);
            }
            "_validate_json_response" => {
                let text = case.input["response_text"].as_str().unwrap();
                let output = ToolOutput::plain(text);
                let is_json = serde_json::from_str::<Value>(&output.text()).is_ok();
                tally.compare(case, &json!(is_json), &case.expected[0]);
            }
            other => panic!(
                "{}: `{other}` is a function that these tests do not know",
                case.id
            ),
        }
    }
    tally.finish(DIFFERENCES);
}

/// What the host fills in, as state.
struct Trusted(Map<String, Value>);

/// A tool that gives back what it got: arguments from the model, and the rest from the host.
struct Echo {
    spec: ToolSpec,
    /// The parameters that the host fills.
    from_host: Vec<String>,
}

impl Echo {
    /// Makes the tool of a case; what the host has and the tool declares stands in no schema.
    fn of(case: &Case, trusted: &Map<String, Value>, required: &[&str]) -> Self {
        let declared = case.input["tool"]["parameters"].as_object().unwrap();
        let (hosts, models): (Vec<_>, Vec<_>) = declared
            .iter()
            .partition(|(name, _)| trusted.contains_key(*name));
        let models: Map<String, Value> = models
            .into_iter()
            .map(|(name, schema)| (name.clone(), json!({ "type": schema["type"] })))
            .collect();
        let required: Vec<_> = required
            .iter()
            .filter(|name| models.contains_key(**name))
            .collect();
        let schema = json!({
            "type": "object", "properties": models, "required": required, "additionalProperties": false,
        });
        Self {
            spec: ToolSpec::new("echo", "Echoes.", from_value(schema).unwrap()),
            from_host: hosts.into_iter().map(|(name, _)| name.clone()).collect(),
        }
    }
}

impl Tool for Echo {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prepare(&self, _: &ToolContext, arguments: Arc<str>) -> Result<PreparedCall, Mistakes> {
        let mistakes = explain(&self.spec.input_schema, &arguments);
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let mut got: Map<String, Value> = serde_json::from_str(&arguments).expect("it fits");
        let from_host = self.from_host.clone();
        let facts = Facts::from_spec(&self.spec);
        Ok(PreparedCall::new(
            arguments,
            facts,
            move |context: ToolContext| {
                async move {
                    for name in from_host {
                        let trusted = context.state::<Trusted>().expect("the host's state");
                        got.insert(name.clone(), trusted.0[&name].clone());
                    }
                    ToolOutput::json(&got)
                }
                .boxed()
            },
        ))
    }
}

/// Calls the tool of a case as the recorded model did. What it gave of the host's is refused, and it calls again without.
async fn called(case: &Case) -> Value {
    let trusted = case.input["trusted_context"].as_object().unwrap();
    let tool = Echo::of(case, trusted, &[]);
    let mut state = State::new();
    state.insert(Trusted(trusted.clone()));
    let context = ToolContext::builder().app(Arc::new(state)).build();
    let mut given = case.input["kwargs"].as_object().unwrap().clone();
    let of_host = given.keys().any(|name| tool.from_host.contains(name));
    if of_host {
        let refused = echoed(&tool, &context, &Value::Object(given.clone())).await;
        assert!(
            matches!(refused, Err(ToolError::InvalidArguments(_))),
            "{refused:?}"
        );
        given.retain(|name, _| !tool.from_host.contains(name));
    }
    echoed(&tool, &context, &Value::Object(given))
        .await
        .expect("it fits")
}

async fn echoed(tool: &Echo, context: &ToolContext, arguments: &Value) -> Result<Value, ToolError> {
    let output = dispatch::call(tool, context, &arguments.to_string()).await?;
    Ok(serde_json::from_str(&output.text()).expect("JSON"))
}
