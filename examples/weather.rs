//! A whole command line: one tool, host state and one skill, as in the README.
//!
//! `cargo run --example weather -- call get_weather --city Paris --unit Fahrenheit`

use std::collections::HashMap;

use helve::prelude::*;

helve::include_skills!("skills");

/// Looks up the current weather for a city.
#[tool(read_only)]
async fn get_weather(
    /// City name, for example "Paris".
    city: String,
    /// Unit of the answer.
    #[arg(default)]
    unit: Unit,
    stations: &Stations,
) -> Result<Weather, StationError> {
    let celsius = stations.0.get(&*city).copied();
    let celsius = celsius.ok_or(StationError { city })?;
    let degrees = match unit {
        Unit::Celsius => celsius,
        Unit::Fahrenheit => celsius * 9.0 / 5.0 + 32.0,
    };
    Ok(Weather { degrees, unit })
}

fn main() -> std::process::ExitCode {
    helve::app!().state(Stations::load()).main()
}

/// A unit of temperature.
#[helve::data]
#[derive(Default)]
enum Unit {
    #[default]
    Celsius,
    Fahrenheit,
}

/// What a station measures.
#[helve::data]
struct Weather {
    degrees: f64,
    unit: Unit,
}

/// The stations, by city, in degrees Celsius.
struct Stations(HashMap<&'static str, f64>);

impl Stations {
    fn load() -> Self {
        Self([("Paris", 11.5), ("Oslo", -3.0)].into())
    }
}

/// Says that a city has no station.
#[derive(Debug)]
struct StationError {
    city: String,
}

impl std::fmt::Display for StationError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "there is no station in {}; try Paris or Oslo", self.city)
    }
}

impl std::error::Error for StationError {}
