//! The pipeline from the result of a tool to the outcome that the turn records.

use std::sync::Arc;

use futures_util::future::{Either, FutureExt, ready};

use super::draft::ResultDraft;
use super::reducer::Reducers;
use super::{Outcome, ProcessedResult, Redactor, ResultInput, ResultPager, Spill};
use helve_core::sandbox::Exit;
use helve_core::tool::{Artifact, Interruption, ToolContext, ToolError, ToolOutput, ToolResult};
use helve_core::toolset::Toolset;
use helve_core::transcript::{ContentBlock, Cost, Label};
use helve_untrusted::UNKNOWN_SOURCE;

/// Processes the results of tools: redacts, shortens, cuts, spills and encloses them.
///
/// ```
/// use helve::results::{ResultInput, ResultPipeline};
/// use helve::tool::ToolOutput;
/// use helve::transcript::{CallAddress, SessionId, ToolCall};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (session, address) = (SessionId::new("s1"), "t1/1.0".parse::<CallAddress>()?);
/// let call = ToolCall::new("call_1", "fetch", r#"{"url":"https://example.org"}"#);
/// let result = Ok(ToolOutput::plain("the key is ghp_abcdefghij1234567890abcdefghij123456"));
/// let result = ResultPipeline::new().process(ResultInput::new(&session, &address, &call), result).await;
/// assert_eq!(result.outcome.content[0].as_text(), Some("the key is [REDACTED:github-pat]"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct ResultPipeline {
    budget: usize,
    pub(super) redactor: Redactor,
    pub(super) spill: Option<Arc<dyn Spill>>,
    pub(super) reducers: Option<Reducers>,
    /// Whether untrusted text is enclosed.
    pub(super) wraps_untrusted: bool,
}

impl Default for ResultPipeline {
    fn default() -> Self {
        Self::new()
    }
}

impl ResultPipeline {
    /// Creates a pipeline with the default budget, which redacts secrets, encloses untrusted text, and spills nothing.
    #[must_use]
    pub fn new() -> Self {
        Self {
            budget: ToolContext::DEFAULT_RESULT_BUDGET,
            redactor: Redactor::new(),
            spill: None,
            reducers: None,
            wraps_untrusted: true,
        }
    }

    /// Sets the maximum number of characters of the results of one round together.
    #[must_use]
    pub fn budget(mut self, characters: usize) -> Self {
        self.budget = characters;
        self
    }

    /// Sets the redactor; [`Redactor::off`] redacts nothing.
    #[must_use]
    pub fn redactor(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// Sets the spill for results that are cut; [`toolset`](Self::toolset) returns the tool that reads the spill.
    #[must_use]
    pub fn spill(mut self, spill: Arc<dyn Spill>) -> Self {
        self.spill = Some(spill);
        self
    }

    /// Sets the reducers; without reducers, results are not shortened.
    #[must_use]
    pub fn reducers(mut self, reducers: Reducers) -> Self {
        self.reducers = Some(reducers);
        self
    }

    /// Returns the reducers.
    #[doc(hidden)]
    pub fn configured_reducers(&self) -> Option<&Reducers> {
        self.reducers.as_ref()
    }

    /// Leaves the text of untrusted tools unchanged, for models without protection, for example in a test of a model.
    /// The labels of the results do not change.
    #[must_use]
    pub fn without_wrapping(mut self) -> Self {
        self.wraps_untrusted = false;
        self
    }

    /// Returns the redactor, which is also used for progress.
    #[must_use]
    pub fn secret_redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// Returns the tool with which the model reads spilled results, if there is a spill.
    #[must_use]
    pub fn toolset(&self) -> Toolset {
        match &self.spill {
            Some(spill) => ResultPager::toolset(Arc::new(ResultPager::new(spill.clone()))),
            None => Toolset::empty(),
        }
    }

    /// Returns the share of each call in a round with the given number of calls.
    #[must_use]
    pub fn share(&self, calls: usize) -> usize {
        self.budget / calls.max(1)
    }

    /// Processes a result.
    ///
    /// A result that fits is ready at once; a result that is cut waits for the spill.
    pub fn process<'a>(
        &'a self,
        input: ResultInput<'a>,
        result: ToolResult,
    ) -> impl Future<Output = ProcessedResult> + Send + 'a {
        let output = match result {
            Ok(output) => output,
            Err(error) => return Either::Right(self.process_error(input, error).boxed()),
        };
        let mut cleaned = CleanedOutput::new(self, input, output);
        if cleaned.draft.is_complete(&cleaned.blocks) {
            return Either::Left(ready(cleaned.into_processed()));
        }
        let fitting = async move {
            cleaned.draft.fit(&mut cleaned.blocks).await;
            cleaned.into_processed()
        };
        Either::Right(fitting.boxed())
    }

    async fn process_error(&self, input: ResultInput<'_>, error: ToolError) -> ProcessedResult {
        let source = input.untrusted_source().filter(|_| is_tool_message(&error));
        let mut draft = ResultDraft::new(self, input, source, None);
        let text = draft.clean_text(error.to_string());
        let text = draft.fit_error(text).await;
        draft.add_poll_notice(&error);
        let mut blocks = vec![ContentBlock::Text { text }];
        draft.finish(&mut blocks, None);
        draft.into_processed(match error {
            ToolError::Fatal(_) => Outcome::fatal(blocks),
            _ => Outcome::error(blocks),
        })
    }
}

struct CleanedOutput<'a> {
    draft: ResultDraft<'a>,
    blocks: Vec<ContentBlock>,
    /// The index of the block with the notes, which are the words of the tool.
    notes_index: Option<usize>,
    /// The JSON of the structured content, if the content does not begin with it.
    structured: Option<String>,
    begins_structured: bool,
    artifacts: Vec<Artifact>,
    cost: Option<Cost>,
    exit: Option<Exit>,
}

impl<'a> CleanedOutput<'a> {
    fn new(pipeline: &'a ResultPipeline, input: ResultInput<'a>, output: ToolOutput) -> Self {
        let mut parts = output.into_parts();
        let label = parts.label.take();
        let source = input
            .untrusted_source()
            .map(|source| named_source(source, label.as_ref()));
        let mut draft = ResultDraft::new(pipeline, input, source, label);
        let blocks = std::mem::take(&mut parts.blocks).into_iter();
        let mut blocks: Vec<ContentBlock> = blocks.map(|block| draft.clean(block)).collect();
        let own = blocks.len() - usize::from(parts.has_notes);
        if !parts.is_structured {
            draft.reduce(&mut blocks, own, parts.structured.as_deref());
        }
        let links = parts.artifacts.iter();
        blocks.extend(links.map(|artifact| draft.link_to(artifact)));
        let mut structured = parts.structured.map(|json| draft.redact_hidden(json));
        let begins_structured = parts.is_structured && draft.is_unchanged(&blocks);
        if parts.is_structured && !begins_structured {
            let first = blocks.first().and_then(ContentBlock::as_text);
            structured = first.map(str::to_owned);
        }
        Self {
            draft,
            blocks,
            notes_index: parts.has_notes.then_some(own),
            structured,
            begins_structured,
            artifacts: parts.artifacts,
            cost: parts.cost,
            exit: parts.exit,
        }
    }

    fn into_processed(mut self) -> ProcessedResult {
        self.draft.finish(&mut self.blocks, self.notes_index);
        let outcome = Outcome::ok(self.blocks).cost(self.cost.unwrap_or_default());
        let outcome = outcome.exit(self.exit);
        ProcessedResult {
            structured: self.structured,
            begins_structured: self.begins_structured,
            artifacts: self.artifacts,
            ..self.draft.into_processed(outcome)
        }
    }
}

/// Returns the source of untrusted text; where the arguments of the call name none, that of the label of the tool.
fn named_source(source: String, label: Option<&Label>) -> String {
    let own = label.and_then(|label| label.sources().last());
    match own.filter(|_| source == UNKNOWN_SOURCE) {
        Some(own) => own.name.clone(),
        None => source,
    }
}

/// Reports whether the text of an error may come from the tool, and is therefore untrusted, rather than from helve.
fn is_tool_message(error: &ToolError) -> bool {
    match error {
        ToolError::InvalidArguments(_) | ToolError::StaleWrite(_) => false,
        ToolError::Cancelled(interrupted) => {
            let unknown = interrupted.outcome_unknown;
            *interrupted != Interruption::cancelled(unknown)
                && *interrupted != Interruption::deadline(unknown)
        }
        _ => true,
    }
}
