//! The worker's job: prepares an image.

use helve_host::worker::JobContext;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::decode::{ImageFacts, ImageRequest, decode};
use crate::error::RefusedImage;

helve_host::worker_job! {
    /// The job that decodes an image, and writes it as a model sees it.
    pub(crate) static PREPARE: "helve/image" = run;
}

#[derive(Serialize, Deserialize)]
pub(crate) enum ImageResponse {
    Prepared(ImageFacts),
    Refused(RefusedImage),
}

fn run(port: &mut JobContext, request: Value) -> Result<Value, String> {
    let request: ImageRequest =
        serde_json::from_value(request).map_err(|error| error.to_string())?;
    let response = match decode(&port.take_data(), &request) {
        Ok((bytes, facts)) => {
            port.write(&bytes).map_err(|error| error.to_string())?;
            ImageResponse::Prepared(facts)
        }
        Err(refused) => ImageResponse::Refused(refused),
    };
    serde_json::to_value(response).map_err(|error| error.to_string())
}
