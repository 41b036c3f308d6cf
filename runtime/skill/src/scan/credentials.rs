//! Rules about files and variables that contain secrets.

use super::Severity::{Red, Yellow};
use super::line::{FileKind, Language, Rule, ScannedLine};

const MESSAGE: &str = "access to a file or a variable that holds secrets";
const HELP: &str = "see why the skill needs it, and where what it reads goes";

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "credential-access",
        severity: Red,
        kinds: FileKind::is_code,
        message: MESSAGE,
        help: HELP,
        applies: |line| line.has(SECRET_PATHS) || reads_secret_variable(line),
    },
    Rule {
        name: "credential-access",
        severity: Yellow,
        kinds: |kind| !kind.is_code(),
        message: MESSAGE,
        help: HELP,
        applies: |line| line.has(SECRET_PATHS),
    },
];

/// The paths of secrets.
const SECRET_PATHS: &[&str] = &[
    ".ssh/",
    "id_rsa",
    "id_ed25519",
    "authorized_keys",
    ".aws/credentials",
    ".aws/config",
    ".config/gcloud",
    ".azure/",
    ".kube/config",
    ".docker/config.json",
    ".gnupg",
    ".git-credentials",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".vault-token",
    ".config/gh/hosts",
    "/etc/shadow",
    "/etc/sudoers",
    "login.keychain",
    "find-generic-password",
    "find-internet-password",
    "secret-tool lookup",
    "wallet.dat",
    "cookies.sqlite",
    "logins.json",
    "login data",
    "169.254.169.254",
];

/// The parts of the names of variables that contain secrets.
const SECRET_NAME_PARTS: &[&str] = &[
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "API_KEY",
    "APIKEY",
    "ACCESS_KEY",
    "PRIVATE_KEY",
    "CREDENTIAL",
    "AUTH_KEY",
];

/// The functions that read variables; the name follows.
const ENV_READ_FUNCTIONS: &[&str] = &[
    "process.env",
    "import.meta.env",
    "deno.env.get",
    "os.environ",
    "os.getenv",
    "getenv(",
    "env::var",
    "env[",
    "$env:",
    "system.getenv",
    "environ.get",
];

fn reads_secret_variable(line: &ScannedLine<'_>) -> bool {
    let reads = line.has(ENV_READ_FUNCTIONS)
        || (line.kind == FileKind::Code(Language::Shell) && line.text.contains('$'));
    reads && variable_names(&line.text).any(is_secret_name)
}

/// Returns the names in capital letters, as environment variables are usually written.
fn variable_names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|name| name.bytes().any(|byte| byte.is_ascii_uppercase()))
        .filter(|name| !name.bytes().any(|byte| byte.is_ascii_lowercase()))
}

fn is_secret_name(name: &str) -> bool {
    SECRET_NAME_PARTS.iter().any(|part| name.contains(part))
}
