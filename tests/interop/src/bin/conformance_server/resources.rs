//! The resources that the suite asks for.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use helve::prelude::*;
use helve::serve::{ListedResource, ResourceSource, ResourceTemplate};
use helve::transcript::Resource;

use crate::content::{PNG, resource};

/// A text, an image, one that is watched, and a family with one place.
#[derive(Debug)]
pub(crate) struct Fixtures;

impl ResourceSource for Fixtures {
    fn list<'a>(
        &'a self,
        _: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Vec<ListedResource>, ToolError>> {
        let listed = [
            ("test://static-text", "Static Text Resource", "text/plain"),
            (
                "test://static-binary",
                "Static Binary Resource",
                "image/png",
            ),
            ("test://watched-resource", "Watched Resource", "text/plain"),
        ];
        let listed = listed.map(|(uri, name, mime_type)| {
            ListedResource::new(uri, name)
                .described("A fixture")
                .typed(mime_type)
        });
        async move { Ok(listed.to_vec()) }.boxed()
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        let template = ResourceTemplate::new("test://template/{id}/data", "Dynamic Resource");
        vec![
            template
                .described("A fixture with a place")
                .typed("application/json")
                .suggesting("id", |_| vec!["1".into(), "2".into()]),
        ]
    }

    fn read<'a>(
        &'a self,
        _: &'a ToolContext,
        uri: &'a str,
    ) -> BoxFuture<'a, Result<Option<Vec<Resource>>, ToolError>> {
        let id = uri.strip_prefix("test://template/");
        let id = id.and_then(|rest| rest.strip_suffix("/data"));
        let found = match (uri, id) {
            ("test://static-text", _) => {
                let text = "This is the content of the static text resource.";
                Some(resource(uri, "text/plain", text))
            }
            ("test://watched-resource", _) => Some(resource(uri, "text/plain", "Watched.")),
            ("test://static-binary", _) => Some(Resource {
                uri: uri.into(),
                mime_type: Some("image/png".into()),
                text: None,
                blob: Some(PNG.into()),
            }),
            (_, Some(id)) => {
                let data = serde_json::json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
                Some(resource(uri, "application/json", &data.to_string()))
            }
            _ => None,
        };
        async move { Ok(found.map(|found| vec![found])) }.boxed()
    }
}
