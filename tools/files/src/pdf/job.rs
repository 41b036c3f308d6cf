//! The worker's job: extracts the text of a PDF document.

use helve::worker::JobContext;
use helve_pdf::{ExtractError, ExtractedPages, PageSelection};
use serde::{Deserialize, Serialize};
use serde_json::Value;

helve::worker_job! {
    /// The job that writes the text of pages.
    pub(super) static EXTRACT: "helve/pdf_text" = run;
}

#[derive(Serialize, Deserialize)]
pub(super) enum ExtractResponse {
    Read(ExtractedPages),
    Unreadable(ExtractError),
}

fn run(port: &mut JobContext, wanted: Value) -> Result<Value, String> {
    let wanted: PageSelection =
        serde_json::from_value(wanted).map_err(|error| error.to_string())?;
    let answer = match helve_pdf::extract(&port.take_data(), &wanted) {
        Ok(extraction) => {
            port.write(extraction.text.as_bytes())
                .map_err(|error| error.to_string())?;
            ExtractResponse::Read(extraction.pages)
        }
        Err(why) => ExtractResponse::Unreadable(why),
    };
    serde_json::to_value(answer).map_err(|error| error.to_string())
}
