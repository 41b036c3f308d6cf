//! Counting tokens with a model's own vocabulary.

use bpe_openai::Tokenizer;

use super::{ModelName, TokenCounter};

/// Counts tokens exactly, with a vocabulary that is a part of the program; nothing is fetched.
///
/// A vocabulary is unpacked when it is first used, which takes a moment, and stays.
///
/// ```
/// use helve::model::{ExactTokenCounter, TokenCounter, Vocabulary};
///
/// let counter = ExactTokenCounter::new(Vocabulary::O200kBase);
/// assert_eq!(counter.count_text("hello world"), 2);
/// # Ok::<(), helve::model::InvalidModelName>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExactTokenCounter {
    vocabulary: Vocabulary,
}

/// A vocabulary of tokens that is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Vocabulary {
    /// `cl100k_base`, that of GPT-4 and GPT-3.5.
    Cl100kBase,
    /// `o200k_base`, that of GPT-4o and what came after it.
    O200kBase,
}

/// How the names of OpenAI's models begin, the longer beginnings before those that they begin with.
const MODEL_PREFIXES: [(&str, Vocabulary); 10] = [
    ("gpt-4o", Vocabulary::O200kBase),
    ("gpt-4.1", Vocabulary::O200kBase),
    ("gpt-4.5", Vocabulary::O200kBase),
    ("gpt-4", Vocabulary::Cl100kBase),
    ("gpt-3.5", Vocabulary::Cl100kBase),
    ("gpt-5", Vocabulary::O200kBase),
    ("chatgpt-4o", Vocabulary::O200kBase),
    ("o1", Vocabulary::O200kBase),
    ("o3", Vocabulary::O200kBase),
    ("o4", Vocabulary::O200kBase),
];

impl Vocabulary {
    /// Returns the vocabulary of a model, where it is known to be one of these: OpenAI's own models, from OpenAI, Azure
    /// or another provider that passes them on as `openai/…`, and gpt-oss wherever it runs.
    ///
    /// ```
    /// use helve::model::Vocabulary;
    ///
    /// assert_eq!(Vocabulary::for_model(&"openai/gpt-5-mini".parse()?), Some(Vocabulary::O200kBase));
    /// assert_eq!(Vocabulary::for_model(&"openrouter/openai/gpt-4-turbo".parse()?), Some(Vocabulary::Cl100kBase));
    /// assert_eq!(Vocabulary::for_model(&"anthropic/claude-opus-4-5".parse()?), None);
    /// # Ok::<(), helve::model::InvalidModelName>(())
    /// ```
    #[must_use]
    pub fn for_model(model: &ModelName) -> Option<Self> {
        let name = model.model();
        let own = name.strip_prefix("openai/");
        let bare = own.unwrap_or(name);
        if bare.starts_with("gpt-oss") {
            return Some(Self::O200kBase);
        }
        let is_openais = own.is_some() || matches!(model.provider(), "openai" | "azure");
        let known = MODEL_PREFIXES.iter().filter(|_| is_openais);
        let mut known = known.filter(|(beginning, _)| has_name_prefix(bare, beginning));
        known.next().map(|(_, vocabulary)| *vocabulary)
    }

    fn tokenizer(self) -> &'static Tokenizer {
        match self {
            Self::Cl100kBase => bpe_openai::cl100k_base(),
            Self::O200kBase => bpe_openai::o200k_base(),
        }
    }
}

/// Reports whether a model's name begins with this name, or continues it with another word.
fn has_name_prefix(name: &str, beginning: &str) -> bool {
    let rest = name.strip_prefix(beginning);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.', ':', '@']))
}

impl ExactTokenCounter {
    /// Counts with a vocabulary.
    #[must_use]
    pub fn new(vocabulary: Vocabulary) -> Self {
        Self { vocabulary }
    }

    /// Counts with a model's vocabulary, where [that is known](Vocabulary::for_model).
    #[must_use]
    pub fn for_model(model: &ModelName) -> Option<Self> {
        Vocabulary::for_model(model).map(Self::new)
    }

    /// Returns the vocabulary.
    #[must_use]
    pub fn vocabulary(self) -> Vocabulary {
        self.vocabulary
    }
}

impl TokenCounter for ExactTokenCounter {
    fn count_text(&self, text: &str) -> u64 {
        self.vocabulary.tokenizer().count(text) as u64
    }
}
