//! Secrets that are recognized by their form: a distinctive prefix, and a minimum number of characters of one kind.

use std::sync::LazyLock;

use super::found_secret::FoundSecret;

/// The characters that may follow the prefix.
#[derive(Debug, Clone, Copy)]
enum BodyCharset {
    /// Letters and digits.
    Alphanumeric,
    /// Capital letters and digits.
    Capital,
    /// Letters, digits, `-` and `_`.
    Url,
    /// Letters, digits, `-`, `_`, `.`, `/`, `+` and `=`.
    Wide,
    /// Parts of letters, digits, `-` and `_`, separated by dots.
    Parts,
}

/// For each kind of characters, the offset up to which the text was examined without further matches, so that a prefix
/// that is repeated within one long word does not cause repeated scans.
#[derive(Debug, Default)]
pub(super) struct ScanProgress([usize; 5]);

impl BodyCharset {
    fn contains(self, byte: u8) -> bool {
        let signs: &[u8] = match self {
            Capital => return byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Alphanumeric => b"",
            Url => b"-_",
            Parts => b"-_.",
            Wide => b"-_./+=",
        };
        byte.is_ascii_alphanumeric() || signs.contains(&byte)
    }
}

#[derive(Debug)]
pub(super) struct SecretForm {
    label: &'static str,
    prefix: &'static str,
    body: BodyCharset,
    min_length: usize,
}

const fn secret_form(
    label: &'static str,
    prefix: &'static str,
    body: BodyCharset,
    min_length: usize,
) -> SecretForm {
    SecretForm {
        label,
        prefix,
        body,
        min_length,
    }
}

use BodyCharset::{Alphanumeric, Capital, Parts, Url, Wide};

/// The forms. Forms with a common prefix are adjacent, the more specific one first.
pub(super) const FORMS: &[SecretForm] = &[
    secret_form("anthropic-key", "sk-ant-", Url, 20),
    secret_form("openai-key", "sk-", Url, 20),
    secret_form("stripe-key", "sk_live_", Alphanumeric, 16),
    secret_form("stripe-key", "sk_test_", Alphanumeric, 16),
    secret_form("stripe-key", "rk_live_", Alphanumeric, 16),
    secret_form("stripe-key", "rk_test_", Alphanumeric, 16),
    secret_form("stripe-key", "whsec_", Wide, 20),
    secret_form("github-pat", "ghp_", Alphanumeric, 30),
    secret_form("github-pat", "github_pat_", Url, 22),
    secret_form("github-token", "gho_", Alphanumeric, 30),
    secret_form("github-token", "ghu_", Alphanumeric, 30),
    secret_form("github-token", "ghs_", Alphanumeric, 30),
    secret_form("github-token", "ghr_", Alphanumeric, 30),
    secret_form("gitlab-token", "glpat-", Url, 20),
    secret_form("gitlab-token", "gldt-", Url, 20),
    secret_form("groq-key", "gsk_", Alphanumeric, 30),
    secret_form("grafana-token", "glsa_", Url, 30),
    secret_form("aws-access-key", "AKIA", Capital, 16),
    secret_form("aws-access-key", "ASIA", Capital, 16),
    secret_form("google-key", "AIza", Url, 35),
    secret_form("google-key", "GOCSPX-", Url, 20),
    secret_form("google-token", "ya29.", Url, 20),
    secret_form("age-key", "AGE-SECRET-KEY-1", Capital, 40),
    secret_form("slack-token", "xoxb-", Url, 10),
    secret_form("slack-token", "xoxp-", Url, 10),
    secret_form("slack-token", "xoxa-", Url, 10),
    secret_form("slack-token", "xoxr-", Url, 10),
    secret_form("slack-token", "xoxs-", Url, 10),
    secret_form("slack-token", "xoxc-", Url, 10),
    secret_form("slack-token", "xoxd-", Wide, 10),
    secret_form("slack-token", "xapp-", Url, 10),
    secret_form("slack-webhook", "hooks.slack.com/services/", Wide, 20),
    secret_form("xai-key", "xai-", Alphanumeric, 40),
    secret_form("perplexity-key", "pplx-", Alphanumeric, 40),
    secret_form("huggingface-token", "hf_", Alphanumeric, 30),
    secret_form("replicate-token", "r8_", Alphanumeric, 30),
    secret_form("npm-token", "npm_", Alphanumeric, 36),
    secret_form("pypi-token", "pypi-", Url, 50),
    secret_form("cargo-token", "cio", Alphanumeric, 32),
    secret_form("docker-token", "dckr_pat_", Url, 20),
    secret_form("databricks-token", "dapi", Alphanumeric, 32),
    secret_form("digitalocean-token", "dop_v1_", Alphanumeric, 60),
    secret_form("digitalocean-token", "doo_v1_", Alphanumeric, 60),
    secret_form("shopify-token", "shpat_", Alphanumeric, 30),
    secret_form("shopify-token", "shpss_", Alphanumeric, 30),
    secret_form("sendgrid-key", "SG.", Wide, 40),
    secret_form("vault-token", "hvs.", Url, 24),
    secret_form("linear-key", "lin_api_", Alphanumeric, 30),
    secret_form("jwt", "eyJ", Parts, 30),
    secret_form("bearer-token", "Bearer ", Wide, 16),
    secret_form("bearer-token", "bearer ", Wide, 16),
    secret_form("basic-credentials", "Basic ", Wide, 16),
];

/// The forms by the first byte of their prefix, in their order.
static FORMS_BY_FIRST_BYTE: LazyLock<Vec<Vec<&'static SecretForm>>> = LazyLock::new(|| {
    let mut forms = vec![Vec::new(); 256];
    for form in FORMS {
        forms[usize::from(form.prefix.as_bytes()[0])].push(form);
    }
    forms
});

/// Looks for a secret form at a byte.
pub(super) fn find_at(text: &str, start: usize, settled: &mut ScanProgress) -> Option<FoundSecret> {
    let rest = &text.as_bytes()[start..];
    let mut forms = FORMS_BY_FIRST_BYTE[usize::from(rest[0])].iter();
    let form = forms.find(|form| rest.starts_with(form.prefix.as_bytes()))?;
    let settled = &mut settled.0[form.body as usize];
    if *settled > start || !begins_word(text, start) {
        return None;
    }
    let body = &rest[form.prefix.len()..];
    let charset = body.iter().take_while(|byte| form.body.contains(**byte));
    let length = charset.count();
    if length < form.min_length {
        return None;
    }
    let end = start + form.prefix.len() + length;
    *settled = end;
    let secret = &body[..length];
    if !form.is_likely(secret) {
        return None;
    }
    // A full stop after the secret may end a sentence.
    let dots = secret.iter().rev().take_while(|byte| **byte == b'.');
    let end = end - dots.count();
    // The scheme of a header is not secret, and shows the reader which kind of value was redacted.
    let shown = form.prefix.find(' ').map_or(0, |space| space + 1);
    Some(FoundSecret::new(form.label, start + shown..end))
}

impl SecretForm {
    pub(super) fn first_two(&self) -> [u8; 2] {
        let prefix = self.prefix.as_bytes();
        [prefix[0], prefix[1]]
    }

    /// Reports whether the characters are likely a secret rather than words.
    fn is_likely(&self, body: &[u8]) -> bool {
        // A token has three parts, of which the first is JSON.
        if self.label == "jwt" {
            let mut parts = body.split(|byte| *byte == b'.');
            let long = |part: Option<&[u8]>| part.is_some_and(|part| part.len() >= 4);
            return long(parts.next()) && long(parts.next()) && parts.next().is_some();
        }
        let has_digit = || body.iter().any(u8::is_ascii_digit);
        body.iter().any(u8::is_ascii_alphabetic) && (self.is_exclusive() || has_digit())
    }

    /// Reports whether other text never has this prefix and length without a space, so that no digit is required: one
    /// key in thirty of sixteen to twenty characters has no digit.
    fn is_exclusive(&self) -> bool {
        // After these prefixes, words with dashes between them are common.
        let is_of_words = matches!(
            self.label,
            "openai-key" | "slack-token" | "pypi-token" | "anthropic-key"
        );
        !is_of_words && !matches!(self.body, Wide)
    }
}

/// Reports whether no word continues at a byte. The letter of an escape such as `\n` does not belong to a word.
pub(super) fn begins_word(text: &str, start: usize) -> bool {
    match text.as_bytes()[..start] {
        [] | [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., before] => !before.is_ascii_alphanumeric(),
    }
}

/// Looks for a private key block at `-----BEGIN`.
pub(super) fn find_private_key(text: &str, start: usize) -> Option<FoundSecret> {
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
        // The block is truncated: everything that can belong to it is redacted.
        None => from + body.bytes().take_while(|byte| is_block_byte(*byte)).count(),
    };
    Some(FoundSecret::new("private-key", start..end))
}

fn is_block_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace() || b"+/=-:,\\".contains(&byte)
}

/// Looks for a password in a URL, at the colon of `://`.
pub(super) fn find_url_password(text: &str, colon: usize) -> Option<FoundSecret> {
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
    is_one.then(|| FoundSecret::new("url-password", start..start + password.len()))
}
