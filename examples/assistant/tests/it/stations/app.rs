//! An app whose own package has tools, which packs rename; some of its calls are refused, and some are asked about.

use std::process::ExitCode;
use std::sync::Arc;

use helve::prelude::*;
use helve::tool::{Check, CheckReport};

/// The stations and their readings.
struct Stations {
    names: Vec<String>,
}

#[tools]
impl Stations {
    /// Lists the stations.
    #[tool(read_only)]
    fn list_stations(&self) -> String {
        self.names.join(", ")
    }

    /// Measures at a station.
    #[tool(read_only)]
    fn measure(
        &self,
        /// Where to measure.
        place: Place,
        unit: &Unit,
    ) -> String {
        let Place { station, height } = place;
        format!("21 {} at {station}, {height:?} m", unit.0)
    }
}

/// A place at a station.
#[helve::data]
struct Place {
    /// The name of the station.
    station: String,
    /// The height above the ground, in metres.
    height: Option<f64>,
}

/// A reading, as a web service sends it.
#[helve::data(allow_unknown)]
struct Reading {
    /// The temperature.
    celsius: f64,
}

/// The unit of measurements.
struct Unit(&'static str);

/// Deletes a station.
#[tool(destructive, check = check_deletion)]
fn delete_station(
    /// The name of the station.
    name: &str,
) -> String {
    format!("deleted {name}")
}

fn check_deletion(_: &ToolContext, name: &str) -> CheckReport {
    match name {
        "home" => Check::deny("the station `home` must not be deleted").into(),
        _ => CheckReport::default(),
    }
}

/// Converts a reading.
#[tool(read_only)]
#[expect(clippy::needless_pass_by_value, reason = "a tool owns its arguments")]
fn convert(
    /// The reading.
    reading: Reading,
    /// How often.
    times: u8,
) -> f64 {
    reading.celsius * f64::from(times)
}

/// Reports progress, and says what it did.
#[tool(read_only)]
async fn survey(cx: &ToolContext) -> &'static str {
    cx.progress().stdout("one\ntwo\n");
    "one\ntwo\nthree\n"
}

fn main() -> ExitCode {
    let names = vec!["home".to_owned(), "hill".to_owned()];
    let stations = Stations::toolset(Arc::new(Stations { names }));
    helve::app!()
        .state(Unit("°C"))
        .pack(stations.prefixed("db"))
        .pack(toolset![convert].prefixed("x"))
        .pack(helve::tools::shell())
        .main()
}
