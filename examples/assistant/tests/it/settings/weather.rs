//! An app with two packs that take settings: `[weather]`, which has a default, and `[mail]`, which has none.

use std::collections::BTreeMap;
use std::process::ExitCode;

use helve::prelude::*;

/// The settings of the weather tools.
#[helve::data]
#[serde(default)]
struct WeatherSettings {
    /// The unit of temperatures.
    unit: Unit,
    /// How many days a forecast has.
    #[schemars(range(min = 1, max = 14))]
    days: u8,
    /// The key of the weather service.
    #[schemars(extend("writeOnly" = true))]
    key: Option<String>,
    service: Service,
    /// The stations that are asked first.
    stations: Vec<Station>,
    /// Other names of places.
    aliases: BTreeMap<String, String>,
}

/// A unit of temperatures.
#[helve::data]
#[derive(Debug, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Celsius,
    Fahrenheit,
}

/// The weather service.
#[helve::data]
#[serde(default)]
struct Service {
    /// Where the weather service is reached.
    url: String,
    /// How long an answer may take, in seconds.
    timeout: f64,
}

/// A weather station.
#[helve::data]
struct Station {
    /// The name.
    name: String,
    /// The height, in metres.
    height: Option<i32>,
}

impl Default for WeatherSettings {
    fn default() -> Self {
        Self {
            unit: Unit::Celsius,
            days: 3,
            key: None,
            service: Service::default(),
            stations: Vec::new(),
            aliases: BTreeMap::new(),
        }
    }
}

impl Default for Service {
    fn default() -> Self {
        Self {
            url: "https://weather.example".to_owned(),
            timeout: 2.5,
        }
    }
}

/// Tells what a forecast is made with.
#[tool(read_only)]
fn forecast(settings: &WeatherSettings) -> String {
    let WeatherSettings {
        unit,
        days,
        key,
        service,
        stations,
        aliases,
    } = settings;
    let key = key.as_ref().map_or(0, String::len);
    let stations: Vec<String> = stations
        .iter()
        .map(|station| format!("{} at {:?}", station.name, station.height))
        .collect();
    format!(
        "{days} days in {unit:?} of {} within {} s, with a key of {key} bytes, stations {stations:?}, aliases {aliases:?}",
        service.url, service.timeout
    )
}

/// The settings of the mail tools.
#[helve::data]
struct MailSettings {
    /// The server that sends mail.
    server: String,
    /// The password at the server.
    #[schemars(extend("writeOnly" = true))]
    password: Password,
    /// The port of the server.
    #[serde(default = "default_port")]
    port: u16,
}

fn default_port() -> u16 {
    465
}

/// A password, which is longer than three characters.
#[helve::data]
#[serde(try_from = "String")]
struct Password(String);

impl TryFrom<String> for Password {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.len() > 3 {
            true => Ok(Self(text)),
            false => Err(format!("the password {text:?} is too short")),
        }
    }
}

/// Sends a mail.
#[tool]
fn send_mail(
    settings: &MailSettings,
    /// What it says.
    text: &str,
) -> String {
    let length = settings.password.0.len();
    format!(
        "sent {text:?} by {}:{} with a password of {length} bytes",
        settings.server, settings.port
    )
}

/// Tells whether mail can be sent.
#[tool(read_only)]
fn mail_status(settings: Option<&MailSettings>) -> bool {
    settings.is_some()
}

fn main() -> ExitCode {
    let weather = toolset![forecast].settings::<WeatherSettings>("weather");
    let mail = toolset![send_mail, mail_status].settings::<MailSettings>("mail");
    helve::app!().pack(weather).pack(mail).main()
}
