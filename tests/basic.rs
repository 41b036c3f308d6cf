//! x
use helve::prelude::*;
use serde_json::json;

/// A unit.
#[helve::data]
#[derive(Debug, Default)]
enum Unit {
    #[default]
    Celsius,
    Fahrenheit,
}

#[helve::data]
struct Weather {
    city: String,
    degrees: f64,
    unit: Unit,
}

struct Stations(f64);

#[derive(Debug)]
struct StationError;
impl std::fmt::Display for StationError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("no station")
    }
}
impl std::error::Error for StationError {}

/// Looks up the current weather for a city.
#[tool(read_only)]
async fn get_weather(
    /// City name.
    city: String,
    /// Unit.
    #[arg(default)]
    unit: Unit,
    stations: &Stations,
    cx: &ToolContext,
) -> Result<Weather, StationError> {
    let _ = cx.call_id();
    if city == "Nowhere" {
        return Err(StationError);
    }
    Ok(Weather {
        city,
        degrees: stations.0,
        unit,
    })
}

/// Shouts.
#[tool]
fn shout(
    /** text */
    text: &str,
    /** times */
    #[arg(default = 2, min = 1, max = 5)]
    times: usize,
    /** Other. */
    other: Option<&str>,
    /** x */
    list: &[u8],
) -> String {
    format!(
        "{}{}{}",
        text.to_uppercase().repeat(times),
        other.unwrap_or("-"),
        list.len()
    )
}

/// Shouts.
#[tool(blocking, title = "x")]
fn block(
    /** text */
    text: &str,
    /** l */
    list: &[String],
    s: &Stations,
    o: Option<&Db>,
) -> Result<String, anyhow::Error> {
    if text == "no" {
        anyhow::bail!("never")
    }
    Ok(format!("{text} {} {} {}", list.len(), s.0, o.is_none()))
}

struct Db {
    rows: u32,
}
#[helve::tools]
impl Db {
    fn helper(&self) -> u32 {
        self.rows
    }
    /// Counts.
    #[tool(read_only)]
    async fn count(
        &self,
        /** add */
        add: u32,
    ) -> u32 {
        self.helper() + add
    }
    /// Counts.
    #[tool(blocking)]
    fn count_slow(
        &self,
        /** add */
        add: u32,
    ) -> Result<u32, String> {
        Ok(self.helper() + add)
    }
}

/// Streams.
#[tool]
fn stream(
    /** n */
    n: u32,
    cx: &ToolContext,
) -> impl futures_core::Stream<Item = Update<Vec<u32>>> {
    let _ = cx;
    futures_util::stream::iter(
        (0..n)
            .map(move |i| Update::step(i.into(), n.into()))
            .chain([Update::Done((0..n).collect())]),
    )
}

#[tokio::test]
async fn all() {
    let cx = helve::testing::context_with(Stations(3.5));
    let out = helve::testing::call_with(get_weather, json!({"city": "Paris"}), &cx)
        .await
        .unwrap();
    assert_eq!(
        out.text(),
        r#"{"city":"Paris","degrees":3.5,"unit":"Celsius"}"#
    );
    let out = helve::testing::call(shout, json!({"text": "a\n", "list": [1,2]}))
        .await
        .unwrap();
    assert_eq!(out.text(), "A\nA\n-2");
    let out = helve::testing::call_with(block, json!({"text": "a\n", "list": []}), &cx)
        .await
        .unwrap();
    assert_eq!(out.text(), "a\n 0 3.5 true");
    let err = helve::testing::call_with(block, json!({"text": "no", "list": []}), &cx)
        .await
        .unwrap_err();
    assert_eq!(err.to_string(), "never");
    let db = Db::toolset(std::sync::Arc::new(Db { rows: 4 }));
    assert_eq!(
        db.call("count", r#"{"add": 3}"#, &cx).await.unwrap().text(),
        "7"
    );
    assert_eq!(
        db.call("count_slow", r#"{"add": 3}"#, &cx)
            .await
            .unwrap()
            .text(),
        "7"
    );
    let out = helve::testing::call(stream, json!({"n": 3})).await.unwrap();
    assert_eq!(out.text(), "[0,1,2]");
    let r = helve::Registry::collect().unwrap();
    println!("{:?}", r.iter().collect::<Vec<_>>());
    println!(
        "{}",
        r.get("get_weather")
            .unwrap()
            .spec()
            .input_schema
            .render(helve::schema::Dialect::Mcp)
    );
}
