//! The recorded responses, and what is asked of whoever reads them.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use helve_runtime::model::{ApiErrorKind, ModelError, Reply, ResponseHead};
use serde_json::Value;

use crate::vectors_models::cuts::{self, SeededRng};
use crate::vectors_models::reading::{DecodedReply, Protocol, assemble, read};

/// How often each body is cut at random borders.
pub(crate) const CUTS: usize = 20;

/// How many beginnings, and how many spoilt copies, of each body are read.
pub(crate) const SPOILT: usize = 60;

/// One recorded response.
pub(crate) struct Recorded {
    /// The name of its file, which names the case for good.
    pub(crate) file: String,
    /// The status.
    pub(crate) status: u16,
    /// The content type.
    pub(crate) content_type: String,
    /// What a correct decoder reads out of it.
    pub(crate) expected: Value,
    /// The bytes.
    pub(crate) body: Vec<u8>,
}

impl Recorded {
    /// Returns the head of the response.
    pub(crate) fn head(&self) -> ResponseHead {
        ResponseHead::new(self.status).header("content-type", self.content_type.as_str())
    }

    /// Reads it whole.
    pub(crate) fn reply(&self, protocol: &dyn Protocol) -> Result<Reply, ModelError> {
        assemble(protocol, self.head(), vec![self.body.clone()])
    }

    fn is_error(&self) -> bool {
        self.status >= 400 || !self.expected["error"].is_null()
    }
}

/// Reads the recordings of a protocol; `None`, and a line that says so, where there are none.
pub(crate) fn of(api: &str) -> Option<Vec<Recorded>> {
    let Some(folder) = std::env::var_os("HELVE_VECTORS").map(PathBuf::from) else {
        println!("{api}: nothing ran, because HELVE_VECTORS is not set");
        return None;
    };
    let folder = folder.join("model_streams");
    let index = std::fs::read(folder.join("index.json")).expect("an index of the recordings");
    let index: Vec<Value> = serde_json::from_slice(&index).expect("an index that is JSON");
    let entries = index.into_iter().filter(|entry| entry["api"] == api);
    let recorded = entries.map(|entry| {
        let file = entry["file"].as_str().expect("a file").to_owned();
        Recorded {
            status: entry["status"].as_u64().unwrap_or(200).try_into().unwrap(),
            content_type: entry["content_type"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            expected: entry["expected"].clone(),
            body: std::fs::read(folder.join(&file)).expect("a recorded body"),
            file,
        }
    });
    Some(recorded.collect())
}

/// Reads every recording of a protocol, whole, byte by byte and cut; fails where what is read depends on the cuts, where
/// something panics, and where the differences are not exactly those that are listed.
pub(crate) fn check(protocol: &dyn Protocol, listed: &[(&str, &str)]) {
    let api = protocol.api();
    let Some(recorded) = of(api) else {
        return;
    };
    let mut differences = BTreeMap::new();
    for recorded in &recorded {
        let outcome = outcome_of_all_cuts(protocol, recorded);
        if let Err(difference) = compare(recorded, outcome) {
            differences.insert(recorded.file.as_str(), difference);
        }
        spoil(protocol, recorded);
    }
    report(api, recorded.len(), &differences, listed);
}

/// Says how many agree, and fails where the differences are not exactly those that are listed.
pub(crate) fn report(
    api: &str,
    all: usize,
    differences: &BTreeMap<&str, String>,
    listed: &[(&str, &str)],
) {
    let agreed = all - differences.len();
    println!(
        "{api}: {agreed} of {all} agree, each read in {} ways",
        CUTS + 2
    );
    for (file, difference) in differences {
        let reason = listed.iter().find(|(listed, _)| listed == file);
        let reason = reason.map_or("NOT LISTED", |(_, reason)| reason);
        println!("  {file}: {difference}; {reason}");
    }
    let differing: Vec<_> = differences.keys().copied().collect();
    let listed: Vec<_> = listed.iter().map(|(file, _)| *file).collect();
    assert_eq!(
        differing, listed,
        "{api}: what differs is not what is listed"
    );
}

fn outcome_of_all_cuts(
    protocol: &dyn Protocol,
    recorded: &Recorded,
) -> Result<DecodedReply, ModelError> {
    let body = &recorded.body;
    let whole = read(protocol, recorded.head(), vec![body.clone()]);
    let mut numbers = SeededRng::of(&recorded.file);
    let cut = (0..CUTS).map(|_| cuts::cut(body, &mut numbers));
    for (number, pieces) in cut.chain([cuts::bytes(body)]).enumerate() {
        let found = read(protocol, recorded.head(), pieces);
        let (found, expected) = (format!("{found:?}"), format!("{whole:?}"));
        assert_eq!(found, expected, "{}, cut {number}", recorded.file);
    }
    whole
}

/// Says what differs from what was recorded.
pub(crate) fn compare(
    recorded: &Recorded,
    outcome: Result<DecodedReply, ModelError>,
) -> Result<(), String> {
    let expected = &recorded.expected;
    match outcome {
        Ok(_) if recorded.is_error() => Err("a reply, where an error was recorded".into()),
        Ok(found) => found.compare(expected),
        Err(ModelError::Api(error)) if recorded.is_error() => {
            let status = (recorded.status >= 400).then_some(recorded.status);
            if error.status != status {
                return Err(format!("the status {:?}", error.status));
            }
            if status.is_some() && error.kind == ApiErrorKind::Other {
                return Err("an error of no kind".into());
            }
            match expected["error"]["message"].as_str() {
                Some(message) if !error.message.contains(message) => {
                    Err(format!("the message {:?}", error.message))
                }
                _ => Ok(()),
            }
        }
        Err(error) => Err(format!("the error {error:?}")),
    }
}

/// Reads beginnings and spoilt copies. What comes out may be anything but a panic.
fn spoil(protocol: &dyn Protocol, recorded: &Recorded) {
    let mut numbers = SeededRng::of(&recorded.file);
    for number in 0..SPOILT {
        let end = numbers.below(recorded.body.len() + 1);
        let beginning = recorded.body[..end].to_vec();
        let spoilt = cuts::mutate(&recorded.body, &mut numbers);
        for body in [beginning, spoilt] {
            let reading = || read(protocol, recorded.head(), cuts::cut(&body, &mut numbers));
            let outcome = catch_unwind(AssertUnwindSafe(reading));
            assert!(outcome.is_ok(), "{} panics, copy {number}", recorded.file);
        }
    }
}
