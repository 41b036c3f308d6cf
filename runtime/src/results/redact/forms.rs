//! Secrets with a form of their own: a beginning that nothing else has, and so many characters of a kind.

use std::ops::Range;
use std::sync::LazyLock;

use super::hit::Hit;

/// What the characters behind the beginning may be.
#[derive(Debug, Clone, Copy)]
enum Body {
    /// Letters and digits.
    Alphanumeric,
    /// Capital letters and digits.
    Capital,
    /// Letters, digits, `-` and `_`.
    Url,
    /// Letters, digits, `-`, `_`, `.`, `/`, `+` and `=`.
    Wide,
    /// Parts of letters, digits, `-` and `_` between dots.
    Parts,
}

/// Up to where characters of each kind have been looked at to no further use, so that what begins again and again in one
/// long word is read once.
#[derive(Debug, Default)]
pub(super) struct Settled([usize; 5]);

impl Body {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Capital => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'),
            Self::Parts => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'),
            Self::Wide => {
                byte.is_ascii_alphanumeric()
                    || matches!(byte, b'-' | b'_' | b'.' | b'/' | b'+' | b'=')
            }
        }
    }
}

/// One form of a secret.
#[derive(Debug)]
pub(super) struct Form {
    label: &'static str,
    prefix: &'static str,
    body: Body,
    least: usize,
}

const fn form(label: &'static str, prefix: &'static str, body: Body, least: usize) -> Form {
    Form {
        label,
        prefix,
        body,
        least,
    }
}

/// The forms, those of one beginning together, the more particular first.
pub(super) const FORMS: &[Form] = &[
    form("anthropic-key", "sk-ant-", Body::Url, 20),
    form("openai-key", "sk-", Body::Url, 20),
    form("stripe-key", "sk_live_", Body::Alphanumeric, 16),
    form("stripe-key", "sk_test_", Body::Alphanumeric, 16),
    form("stripe-key", "rk_live_", Body::Alphanumeric, 16),
    form("stripe-key", "rk_test_", Body::Alphanumeric, 16),
    form("stripe-key", "whsec_", Body::Wide, 20),
    form("github-pat", "ghp_", Body::Alphanumeric, 30),
    form("github-pat", "github_pat_", Body::Url, 22),
    form("github-token", "gho_", Body::Alphanumeric, 30),
    form("github-token", "ghu_", Body::Alphanumeric, 30),
    form("github-token", "ghs_", Body::Alphanumeric, 30),
    form("github-token", "ghr_", Body::Alphanumeric, 30),
    form("gitlab-token", "glpat-", Body::Url, 20),
    form("gitlab-token", "gldt-", Body::Url, 20),
    form("groq-key", "gsk_", Body::Alphanumeric, 30),
    form("grafana-token", "glsa_", Body::Url, 30),
    form("aws-access-key", "AKIA", Body::Capital, 16),
    form("aws-access-key", "ASIA", Body::Capital, 16),
    form("google-key", "AIza", Body::Url, 35),
    form("google-key", "GOCSPX-", Body::Url, 20),
    form("google-token", "ya29.", Body::Url, 20),
    form("age-key", "AGE-SECRET-KEY-1", Body::Capital, 40),
    form("slack-token", "xoxb-", Body::Url, 10),
    form("slack-token", "xoxp-", Body::Url, 10),
    form("slack-token", "xoxa-", Body::Url, 10),
    form("slack-token", "xoxr-", Body::Url, 10),
    form("slack-token", "xoxs-", Body::Url, 10),
    form("slack-token", "xoxc-", Body::Url, 10),
    form("slack-token", "xoxd-", Body::Wide, 10),
    form("slack-token", "xapp-", Body::Url, 10),
    form("slack-webhook", "hooks.slack.com/services/", Body::Wide, 20),
    form("xai-key", "xai-", Body::Alphanumeric, 40),
    form("perplexity-key", "pplx-", Body::Alphanumeric, 40),
    form("huggingface-token", "hf_", Body::Alphanumeric, 30),
    form("replicate-token", "r8_", Body::Alphanumeric, 30),
    form("npm-token", "npm_", Body::Alphanumeric, 36),
    form("pypi-token", "pypi-", Body::Url, 50),
    form("cargo-token", "cio", Body::Alphanumeric, 32),
    form("docker-token", "dckr_pat_", Body::Url, 20),
    form("databricks-token", "dapi", Body::Alphanumeric, 32),
    form("digitalocean-token", "dop_v1_", Body::Alphanumeric, 60),
    form("digitalocean-token", "doo_v1_", Body::Alphanumeric, 60),
    form("shopify-token", "shpat_", Body::Alphanumeric, 30),
    form("shopify-token", "shpss_", Body::Alphanumeric, 30),
    form("sendgrid-key", "SG.", Body::Wide, 40),
    form("vault-token", "hvs.", Body::Url, 24),
    form("linear-key", "lin_api_", Body::Alphanumeric, 30),
    form("jwt", "eyJ", Body::Parts, 30),
    form("bearer-token", "Bearer ", Body::Wide, 16),
    form("bearer-token", "bearer ", Body::Wide, 16),
    form("basic-credentials", "Basic ", Body::Wide, 16),
];

/// The forms by the first byte of their beginning, in their order.
static BY_FIRST: LazyLock<Vec<Vec<&'static Form>>> = LazyLock::new(|| {
    let with = |first: u8| {
        FORMS
            .iter()
            .filter(move |form| form.prefix.as_bytes()[0] == first)
    };
    (0..=u8::MAX).map(|first| with(first).collect()).collect()
});

fn beginning_with(first: u8) -> impl Iterator<Item = &'static Form> {
    BY_FIRST[usize::from(first)].iter().copied()
}

/// Looks for a form at a byte.
pub(super) fn at(text: &str, start: usize, settled: &mut Settled) -> Option<Hit> {
    let rest = &text.as_bytes()[start..];
    let form = beginning_with(rest[0]).find(|form| rest.starts_with(form.prefix.as_bytes()))?;
    let settled = &mut settled.0[form.body as usize];
    if *settled > start || !begins_word(text, start) {
        return None;
    }
    let body = &rest[form.prefix.len()..];
    let length = body.iter().take_while(|byte| form.body.has(**byte)).count();
    if length < form.least {
        return None;
    }
    let end = start + form.prefix.len() + length;
    *settled = end;
    let secret = &body[..length];
    if !form.is_likely(secret) {
        return None;
    }
    // A sentence may end behind it.
    let dots = secret
        .iter()
        .rev()
        .take_while(|byte| **byte == b'.')
        .count();
    // The scheme of a header is no secret, and tells the reader what was there.
    let shown = form.prefix.find(' ').map_or(0, |space| space + 1);
    Some(Hit::new(form.label, start + shown..end - dots))
}

impl Form {
    /// Returns how the form begins.
    pub(super) fn first_two(&self) -> [u8; 2] {
        let prefix = self.prefix.as_bytes();
        [prefix[0], prefix[1]]
    }

    /// Reports whether the characters can be a secret rather than words.
    fn is_likely(&self, body: &[u8]) -> bool {
        match self.label {
            // Three parts, of which the first is JSON.
            "jwt" => {
                let mut parts = body.split(|byte| *byte == b'.');
                let long = |part: Option<&[u8]>| part.is_some_and(|part| part.len() >= 4);
                long(parts.next()) && long(parts.next()) && parts.next().is_some()
            }
            _ => {
                let has_digit = || body.iter().any(u8::is_ascii_digit);
                body.iter().any(u8::is_ascii_alphabetic) && (self.is_exclusive() || has_digit())
            }
        }
    }
}

impl Form {
    /// Reports whether nothing else begins so and goes on so long without a space. One key in thirty of sixteen to twenty
    /// characters has no digit.
    fn is_exclusive(&self) -> bool {
        // Words are written behind these, with dashes between them.
        let is_of_words = matches!(
            self.label,
            "openai-key" | "slack-token" | "pypi-token" | "anthropic-key"
        );
        !is_of_words && !matches!(self.body, Body::Wide)
    }
}

/// Reports whether no word goes on at a byte. The letter of an escape such as `\n` belongs to no word.
pub(super) fn begins_word(text: &str, start: usize) -> bool {
    match text.as_bytes()[..start] {
        [] | [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., before] => !before.is_ascii_alphanumeric(),
    }
}

/// Looks for the block of a private key at `-----BEGIN`.
pub(super) fn private_key(text: &str, start: usize) -> Option<Hit> {
    const LONGEST_NAME: usize = 64;
    let rest = text[start..].strip_prefix("-----BEGIN ")?;
    let (name, body) = rest.split_once("-----")?;
    if name.len() > LONGEST_NAME || !name.ends_with("PRIVATE KEY") && !name.ends_with("KEY BLOCK") {
        return None;
    }
    let from = text.len() - body.len();
    let end = match body.find("-----END ") {
        Some(end) => {
            let after = from + end + "-----END ".len();
            let closing = text[after..].find("-----");
            closing.map_or(text.len(), |closing| after + closing + 5)
        }
        // Cut off: what can belong to it goes.
        None => from + body.bytes().take_while(|byte| is_of_block(*byte)).count(),
    };
    let range: Range<usize> = start..end;
    Some(Hit::new("private-key", range))
}

fn is_of_block(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace() || b"+/=-:,\\".contains(&byte)
}

/// Looks for a password in a URL, at the colon of `://`.
pub(super) fn url_password(text: &str, colon: usize) -> Option<Hit> {
    const LONGEST: usize = 256;
    let authority = text[colon..].strip_prefix("://")?;
    let end = authority
        .bytes()
        .take(LONGEST)
        .position(|byte| byte.is_ascii_whitespace() || b"/?#\"'<>\\`".contains(&byte))
        .unwrap_or(authority.len().min(LONGEST));
    let user_info = authority.get(..end)?.rsplit_once('@')?.0;
    let (user, password) = user_info.split_once(':')?;
    let start = colon + 3 + user.len() + 1;
    let is_one = !password.is_empty() && !password.starts_with(['$', '{', '[', '*']);
    is_one.then(|| Hit::new("url-password", start..start + password.len()))
}
