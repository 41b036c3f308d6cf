//! A small app that stands on helve alone: nested data, an enum, host state, built-in tools, a skill.

use std::path::Path;
use std::process::ExitCode;

use helve::prelude::*;

helve::include_skills!("skills");

/// How a parcel travels.
#[helve::data]
#[derive(Debug, Default)]
enum Speed {
    /// By train.
    #[default]
    Standard,
    /// By plane.
    Express,
}

/// Where a parcel goes.
#[helve::data]
struct Address {
    /// Street and number.
    street: String,
    /// Post code, where the country has them.
    code: Option<u32>,
}

/// A parcel.
#[helve::data]
struct Parcel {
    /// Weight in grams.
    grams: u32,
    /// Where it goes.
    to: Address,
}

/// What sending costs.
#[helve::data]
struct Price {
    cents: u32,
    to: String,
}

/// What the host knows and the model does not.
struct Tariff {
    cents_per_kilogram: u32,
}

/// Says what it costs to send parcels.
#[tool(read_only)]
async fn price(
    /// What is sent.
    parcels: Vec<Parcel>,
    /// How fast.
    #[arg(default)]
    speed: Speed,
    tariff: &Tariff,
) -> Result<Price, String> {
    let first = parcels.first().ok_or("there is nothing to send")?;
    let grams: u32 = parcels.iter().map(|parcel| parcel.grams).sum();
    let factor = match speed {
        Speed::Standard => 1,
        Speed::Express => 3,
    };
    Ok(Price {
        cents: grams * tariff.cents_per_kilogram * factor / 1000,
        to: match first.to.code {
            Some(code) => format!("{}, {code}", first.to.street),
            None => first.to.street.clone(),
        },
    })
}

/// Says how large a file is.
#[tool(read_only, requires(fs))]
async fn size(
    /// Its path.
    path: &str,
    cx: &ToolContext,
) -> Result<u64, ToolError> {
    Ok(cx.fs()?.metadata(Path::new(path)).await?.len)
}

fn main() -> ExitCode {
    let tariff = Tariff {
        cents_per_kilogram: 200,
    };
    helve::app!()
        .state(tariff)
        .pack(helve::tools::files())
        .main()
}
