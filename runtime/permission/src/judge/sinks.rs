//! The questions that are asked after the model has read untrusted text.

use std::path::Path;

use super::Judge;
use super::finding::Finding;
use crate::sinks::network_program;
use crate::{DangerousPaths, Decider, UntrustedPolicy};
use helve_core::authority;
use helve_core::capability::Confinement;
use helve_core::sandbox::Egress;
use helve_core::tool::{AccessKind, CallPart, Check, FileAccess, Risk, ToolOrigin};

/// An effect of a call that could send data out, or that takes effect later.
struct TaintSink {
    action: String,
    part: Option<String>,
}

impl TaintSink {
    fn new(action: impl Into<String>) -> Self {
        Self {
            action: action.into(),
            part: None,
        }
    }

    fn with_part(self, part: Option<&str>) -> Self {
        let part = part.map(str::to_owned);
        Self { part, ..self }
    }
}

impl Judge<'_> {
    /// Asks about a call that could send data out or run later, after the model has read untrusted text.
    pub(super) fn sinks(&self) -> Option<Finding> {
        let label = &self.provenance.label;
        if !label.is_untrusted() {
            return None;
        }
        let sink = match self.level.untrusted {
            UntrustedPolicy::Never => None,
            UntrustedPolicy::Egress => self.sink(),
            UntrustedPolicy::Always => self.sink().or_else(|| self.change_sink()),
        }?;
        let origin = label.origin().unwrap_or_default();
        let reason = format!(
            "it {}, and the model has read untrusted text from {origin}",
            sink.action
        );
        let finding = Finding::ask(reason, Decider::Taint(origin)).with_safety();
        Some(finding.with_part(sink.part))
    }

    fn sink(&self) -> Option<TaintSink> {
        let spec = self.tool.spec();
        if let Some(sink) = self.later_execution_sink() {
            return Some(sink);
        }
        if spec.requires.schedules && self.facts.annotations.read_only != Some(true) {
            return Some(TaintSink::new("makes or changes work that runs later"));
        }
        if let ToolOrigin::Server { server, .. } = &spec.origin {
            let beside =
                self.provenance.label.is_untrusted_outside(server) && !self.goes_to_known_urls();
            let action = format!("sends data to the MCP server `{server}`");
            return beside.then(|| TaintSink::new(action));
        }
        if spec.requires.process {
            // Requests of the tool itself do not go through the proxy.
            return self.command_sink().or_else(|| self.network_sink());
        }
        self.network_sink()
            .or_else(|| self.outside_write_sink())
            .or_else(|| self.destructive_sink())
    }

    /// Finds a write to a file that is executed later, or that later steers an agent.
    fn later_execution_sink(&self) -> Option<TaintSink> {
        let mut written = self.written_paths();
        let (path, part) = written.find(|(path, _)| self.runs_or_steers(path))?;
        let does = format!("changes `{path}`, which is run or read as instructions later");
        Some(TaintSink::new(does).with_part(part))
    }

    /// Reports whether a path, or its link target, is executed or read as instructions later. The default patterns
    /// always apply: an app that opens a path to its tools does not make text from outside sources trustworthy.
    fn runs_or_steers(&self, path: &str) -> bool {
        let (context, touch, access) = (self.context(), FileAccess::write(path), AccessKind::Write);
        let links = context.links().into_iter();
        let led = links.flat_map(|links| links.places(path));
        let led: Vec<_> = led.map(Path::to_string_lossy).collect();
        let is_guarded = |paths: &DangerousPaths| {
            let mut led = led.iter().map(|place| paths.look_up(place, access));
            paths.look_up_accessed(&touch, access, context).is_some()
                || led.any(|found| found.is_some())
        };
        is_guarded(&self.level.dangerous) || is_guarded(&DangerousPaths::default())
    }

    /// Iterates over the written paths, each with the part that writes it.
    fn written_paths(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        let touches = self.facts.file_accesses.iter();
        let touches = touches.filter(|touch| touch.kind == AccessKind::Write);
        let touched = touches.map(|touch| (&*touch.path, touch.part.as_deref()));
        touched.chain(self.edited_paths().iter().map(|path| (&**path, None)))
    }

    /// Finds a command that reaches the network. The sandbox's proxy controls the connections of commands; a connection
    /// that is evident from the text, or that no proxy controls, is asked about before the command runs.
    fn command_sink(&self) -> Option<TaintSink> {
        if self.only_reads().is_some() {
            return None;
        }
        let mut parts = self.facts.parts.iter().filter(|part| !part.read_only);
        let found = parts.find_map(|part| Some((network_program(&part.text)?, &part.text)));
        if let Some((program, part)) = found {
            let sink = TaintSink::new(format!("runs `{program}`, which reaches the network"));
            return Some(sink.with_part(Some(part)));
        }
        match self.egress() {
            Egress::Closed | Egress::Gated(_) => None,
            // The tool's check allows the call, for example a call that ends a running command.
            Egress::Unchecked if self.facts.check == Check::Allow => None,
            Egress::Unchecked => {
                let action = "runs a command whose network connections are not monitored";
                Some(TaintSink::new(action))
            }
        }
    }

    /// Returns how commands reach the network. For a sandbox that is not open yet, the answer is unknown.
    fn egress(&self) -> Egress {
        match &authority::grants(self.context).sandbox {
            // Without a sandbox, no command runs.
            None => Egress::Closed,
            Some(sandbox) => sandbox
                .peek()
                .map_or(Egress::Unchecked, |sandbox| sandbox.egress()),
        }
    }

    fn network_sink(&self) -> Option<TaintSink> {
        let requires = &self.tool.spec().requires;
        // The `open_world` of a tool that starts commands describes the commands.
        let is_open_world = self.facts.annotations.open_world == Some(true) && !requires.process;
        let reaches = requires.net || is_open_world;
        let is_left_to_the_client =
            self.level.no_conversation && self.facts.annotations.read_only == Some(true);
        let is_confined = self.facts.confinement != Confinement::None;
        let asks = reaches
            && !is_confined
            && !is_left_to_the_client
            && !self.goes_to_known_urls()
            && !self.goes_to_tainted_hosts(requires.hosts);
        asks.then(|| TaintSink::new("reaches the network"))
    }

    /// Reports whether a call only fetches URLs that occur verbatim in the user's text or in a page, and sends no other
    /// data.
    fn goes_to_known_urls(&self) -> bool {
        let schema = self.tool.spec().input_schema.value();
        self.facts.annotations.read_only == Some(true)
            && (self.sends_known_urls()
                || self.provenance.urls.covers(self.prepared.text(), schema))
    }

    /// Reports whether the parts of a call are known URLs: a tool that reads the network and has parts sends these alone.
    fn sends_known_urls(&self) -> bool {
        let parts = &self.facts.parts;
        let requires = &self.tool.spec().requires;
        let is_known = |part: &CallPart| self.provenance.urls.contains(&part.text);
        requires.net && !requires.process && !parts.is_empty() && parts.iter().all(is_known)
    }

    /// Reports whether a tool declares only hosts that may be reached without approval even after untrusted text was
    /// read.
    fn goes_to_tainted_hosts(&self, declared: &[&str]) -> bool {
        use helve_core::network::{Host, HostPolicy, HostRules};
        let mut rules = HostRules::default();
        rules.even_tainted.clone_from(&self.level.even_tainted);
        let Ok(open) = HostPolicy::new(&rules) else {
            return false;
        };
        let is_open = |host: &&str| {
            let host = Host::parse_authority(host, Some(443));
            host.is_some_and(|(host, port)| open.is_even_tainted(&host, port))
        };
        !declared.is_empty() && declared.iter().all(is_open)
    }

    fn outside_write_sink(&self) -> Option<TaintSink> {
        let mut written = self.written_paths();
        let (path, _) = written.find(|(path, _)| !self.is_in_workspace(path))?;
        let action = format!("writes `{path}`, which is outside of the workspace");
        Some(TaintSink::new(action))
    }

    /// Finds a harmful effect on anything other than workspace files, whose changes a user can review and revert.
    fn destructive_sink(&self) -> Option<TaintSink> {
        let hints = &self.facts.annotations;
        let harms = self.facts.risk == Risk::High || hints.destructive == Some(true);
        let is_elsewhere = harms && self.written_paths().next().is_none();
        is_elsewhere.then(|| TaintSink::new(self.effects().description))
    }

    /// Finds any effect other than reading.
    fn change_sink(&self) -> Option<TaintSink> {
        let changes = self.only_reads().is_none();
        changes.then(|| TaintSink::new(self.describe_effects()))
    }
}
