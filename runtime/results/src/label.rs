//! The label of a result, by the tool that returned it.

use super::ResultInput;
use helve_core::tool::{ToolOrigin, ToolSpec};
use helve_core::transcript::{Label, Source};
use helve_untrusted::{self, UNKNOWN_SOURCE};

impl ResultInput<'_> {
    /// Returns the source of untrusted text, for its label and its enclosure.
    pub(super) fn untrusted_source(&self) -> Option<String> {
        if let Some(given) = self.label.filter(|label| label.is_untrusted()) {
            let worst = given.sources().last();
            let name = worst.map_or(UNKNOWN_SOURCE, |source| &*source.name);
            return Some(name.to_owned());
        }
        let spec = self.spec.filter(|spec| spec.untrusted_output)?;
        let described = helve_untrusted::describe(&self.call.arguments);
        Some(match (&spec.output_source, described) {
            (Some(server), Some(described)) => format!("{server}, {described}"),
            (Some(server), None) => server.to_string(),
            (None, described) => described.unwrap_or_else(|| UNKNOWN_SOURCE.to_owned()),
        })
    }

    /// Returns the label of a result by the spec of its tool and the label of the input.
    ///
    /// Commands in the sandbox of the session work on the files of the user, so that their output is as trustworthy as
    /// those files, though it is enclosed. The driver adds the label of the network data that the commands received.
    pub(super) fn result_label(&self, source: Option<&str>, flags: &[String]) -> Label {
        let spec = self.spec.filter(|spec| spec.untrusted_output);
        let own = match (spec, source) {
            (Some(spec), Some(source)) => spec_label(spec, source, flags),
            _ => Label::workspace(),
        };
        match self.label {
            Some(given) => given.clone().joined(&own).joined(&Label::workspace()),
            None => own,
        }
    }
}

fn spec_label(spec: &ToolSpec, source: &str, flags: &[String]) -> Label {
    let tool = &*spec.name;
    let source = match &spec.origin {
        ToolOrigin::Server { server, .. } => Source::server(tool, &**server, source),
        // The gate of the sandbox labels what commands reach, but not the network access of the tool itself.
        _ if spec.requires.process && !spec.requires.net => return Label::workspace(),
        _ => Source::web(tool, source),
    };
    Label::from(source.with_flags(flags.to_vec()))
}
