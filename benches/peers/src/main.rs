//! One call, JSON text in and JSON text out, by hand and through each framework, in alternating rounds.

use std::collections::HashMap;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use rig_core::tool::ErasedTool;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{CallToolRequestParams, CallToolResponse, NumberOrString};
use rmcp::service::{RequestContext, RoleServer, serve_directly};

const ROUNDS: usize = 40;
const RUNS: u32 = 5_000;
const NAME: &str = "forecast";
const CALL: &str = r#"{"city":"Paris","days":3,"metric":true}"#;

/// What the weather will be.
#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Weather {
    city: String,
    days: u32,
    degrees: f64,
}

fn forecast(city: String, days: u32, metric: Option<bool>) -> Weather {
    let degrees = if metric.unwrap_or(true) { 21.5 } else { 70.7 };
    Weather {
        city,
        days,
        degrees,
    }
}

mod by_hand {
    use super::Weather;

    #[derive(serde::Deserialize)]
    pub struct Arguments {
        pub city: String,
        pub days: u32,
        pub metric: Option<bool>,
    }

    pub async fn forecast(given: Arguments) -> Weather {
        super::forecast(given.city, given.days, given.metric)
    }
}

mod with_helve {
    use super::Weather;
    use helve::prelude::*;

    /// Looks up the weather of the next days.
    #[tool]
    async fn forecast(
        /// The city.
        city: String,
        /// How many days ahead.
        days: u32,
        /// Whether to answer in metric units.
        metric: Option<bool>,
    ) -> Weather {
        super::forecast(city, days, metric)
    }
}

mod with_rig {
    use super::Weather;
    use rig_core::{rig_tool, tool::ToolExecutionError};

    /// Looks up the weather of the next days.
    #[rig_tool]
    pub async fn forecast(
        /// The city.
        city: String,
        /// How many days ahead.
        days: u32,
        /// Whether to answer in metric units.
        metric: Option<bool>,
    ) -> Result<Weather, ToolExecutionError> {
        Ok(super::forecast(city, days, metric))
    }
}

mod with_rmcp {
    use super::Weather;
    use rmcp::handler::server::wrapper::{Json, Parameters};
    use rmcp::{ServerHandler, tool, tool_router};

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    pub struct Arguments {
        /// The city.
        city: String,
        /// How many days ahead.
        days: u32,
        /// Whether to answer in metric units.
        metric: Option<bool>,
    }

    #[derive(Clone)]
    pub struct Server;

    impl ServerHandler for Server {}

    #[tool_router(vis = "pub")]
    impl Server {
        /// Looks up the weather of the next days.
        #[tool]
        async fn forecast(&self, Parameters(given): Parameters<Arguments>) -> Json<Weather> {
            Json(super::forecast(given.city, given.days, given.metric))
        }
    }
}

async fn call_by_hand(call: &str) -> String {
    let given = serde_json::from_str(call).expect("arguments");
    serde_json::to_string(&by_hand::forecast(given).await).expect("JSON")
}

async fn call_helve(
    registry: &helve::Registry,
    context: &helve::ToolContext,
    call: &str,
) -> String {
    registry
        .call(black_box(NAME), call, context)
        .await
        .expect("a result")
        .into_text()
}

/// rig-core has no registry without its agent: a map of its erased tools is the least that finds one by name.
async fn call_rig(tools: &HashMap<String, Arc<dyn ErasedTool>>, call: &str) -> String {
    let mut context = rig_core::tool::ToolContext::new();
    let result = tools[black_box(NAME)]
        .execute(call.to_owned(), &mut context)
        .await;
    result.output().render()
}

/// The server's router alone, without its transport.
async fn call_rmcp(
    router: &ToolRouter<with_rmcp::Server>,
    context: &RequestContext<RoleServer>,
    call: &str,
) -> String {
    let mut request = CallToolRequestParams::new(black_box(NAME));
    request.arguments = Some(serde_json::from_str(call).expect("arguments"));
    let call = ToolCallContext::new(&with_rmcp::Server, request, context.clone());
    match router.call(call).await.expect("a result") {
        CallToolResponse::Complete(result) => {
            result.content[0].as_text().expect("text").text.clone()
        }
        _ => unreachable!("the tool asks for nothing"),
    }
}

/// Returns the nanoseconds of one call.
async fn each(call: impl AsyncFn(&str) -> String) -> f64 {
    let begun = Instant::now();
    for _ in 0..RUNS {
        black_box(call(black_box(CALL)).await);
    }
    begun.elapsed().as_secs_f64() * 1e9 / f64::from(RUNS)
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let registry = helve::Registry::collect().expect("a registry");
    let helve_context = helve::ToolContext::new();
    let rig: HashMap<String, Arc<dyn ErasedTool>> = HashMap::from([(
        NAME.to_owned(),
        Arc::new(with_rig::Forecast) as Arc<dyn ErasedTool>,
    )]);
    let router = with_rmcp::Server::tool_router();
    let (transport, _client) = tokio::io::duplex(64);
    let server = serve_directly::<RoleServer, _, _, _, _>(with_rmcp::Server, transport, None);
    let rmcp_context = RequestContext::new(NumberOrString::Number(1), server.peer().clone());

    let expected = call_by_hand(CALL).await;
    assert_eq!(call_helve(&registry, &helve_context, CALL).await, expected);
    assert_eq!(call_rig(&rig, CALL).await, expected);
    assert_eq!(call_rmcp(&router, &rmcp_context, CALL).await, expected);

    let mut rounds: [Vec<f64>; 4] = Default::default();
    for _ in 0..ROUNDS {
        rounds[0].push(each(call_by_hand).await);
        rounds[1].push(each(async |call| call_helve(&registry, &helve_context, call).await).await);
        rounds[2].push(each(async |call| call_rig(&rig, call).await).await);
        rounds[3].push(each(async |call| call_rmcp(&router, &rmcp_context, call).await).await);
    }
    println!("| one short call | best (median) | against by hand, best (median) |");
    println!("|---|---|---|");
    let summary = rounds.map(|mut times| {
        times.sort_by(f64::total_cmp);
        (times[0], times[ROUNDS / 2])
    });
    for (who, (best, median)) in ["by hand", "helve", "rig-core 0.44", "rmcp 3.9"]
        .iter()
        .zip(summary)
    {
        let (direct, direct_median) = summary[0];
        println!(
            "| {who} | {best:.0} ns ({median:.0} ns) | {:.2}× ({:.2}×) |",
            best / direct,
            median / direct_median
        );
    }
}
