//! Counts tokens with the vocabulary of a model.

use bpe_openai::Tokenizer;

use super::{ModelName, TokenCounter};

/// Counts tokens exactly, with a vocabulary that is embedded in the program; nothing is downloaded.
///
/// A vocabulary is decompressed on first use, which takes a moment, and stays in memory.
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

/// A published vocabulary of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Vocabulary {
    /// `cl100k_base`, of GPT-4 and GPT-3.5.
    Cl100kBase,
    /// `o200k_base`, of GPT-4o and later models.
    O200kBase,
}

/// The prefixes of the names of OpenAI's models; a longer prefix precedes its own prefixes.
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
    /// Returns the vocabulary of a model, if it is known: for OpenAI's models, from OpenAI, Azure or another provider
    /// that names them `openai/…`, and for gpt-oss on any provider.
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

/// Reports whether a name starts with a prefix, followed by the end of the name or by another word.
fn has_name_prefix(name: &str, beginning: &str) -> bool {
    let rest = name.strip_prefix(beginning);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.', ':', '@']))
}

impl ExactTokenCounter {
    /// Creates a counter with a vocabulary.
    #[must_use]
    pub fn new(vocabulary: Vocabulary) -> Self {
        Self { vocabulary }
    }

    /// Creates a counter with a model's vocabulary, if it is [known](Vocabulary::for_model).
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
