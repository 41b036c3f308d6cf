//! Paths that contain secrets.

use super::super::row::{Depth, Guard, Kind, Row, secret};

const KEYS: &str = "private keys";
const ENVIRONMENT: &str = "secrets of an environment";
const CREDENTIALS: &str = "credentials of a program";
const HISTORY: &str = "a history file contains typed commands, possibly with passwords";
const BROWSER: &str = "passwords and sessions of a browser";

/// Creates the row of a file in which a program stores credentials of its users.
const fn credentials(pattern: &'static str, reason: &'static str) -> Row {
    Row::new(Kind::Secret, pattern, reason).guards(Guard::Never, Guard::Never)
}

/// Creates the exception for a path that looks like a secret and is none.
const fn except(pattern: &'static str) -> Row {
    Row::new(Kind::Secret, pattern, "")
}

pub(super) const ROWS: &[Row] = &[
    credentials(".ssh/", KEYS).read_only(Depth::Anywhere),
    credentials(".gnupg/", KEYS),
    secret("id_rsa", KEYS).masked(),
    secret("id_dsa", KEYS).masked(),
    secret("id_ecdsa", KEYS).masked(),
    secret("id_ecdsa_sk", KEYS).masked(),
    secret("id_ed25519", KEYS).masked(),
    secret("id_ed25519_sk", KEYS).masked(),
    secret("*.pem", KEYS).masked(),
    secret("*.key", KEYS).masked(),
    secret("*.p12", KEYS).masked(),
    secret("*.pfx", KEYS).masked(),
    secret(".env", ENVIRONMENT).masked(),
    secret(".env.*", ENVIRONMENT),
    // Patterns without exceptions, which a sandbox can hide.
    secret(".env.local", ENVIRONMENT).masked(),
    secret(".env.*.local", ENVIRONMENT).masked(),
    secret(".env.development", ENVIRONMENT).masked(),
    secret(".env.production", ENVIRONMENT).masked(),
    secret(".env.staging", ENVIRONMENT).masked(),
    secret(".env.test", ENVIRONMENT).masked(),
    credentials(".netrc", CREDENTIALS).masked(),
    secret("_netrc", CREDENTIALS).masked(),
    secret(".npmrc", CREDENTIALS).masked(),
    // Yarn does not start without these files, and `yarn set version` writes them.
    secret(".yarnrc", CREDENTIALS).reported_to_watch(),
    secret(".yarnrc.yml", CREDENTIALS).reported_to_watch(),
    credentials(".pypirc", CREDENTIALS).masked(),
    credentials(".pgpass", CREDENTIALS).masked(),
    credentials(".my.cnf", CREDENTIALS).masked(),
    secret(".htpasswd", CREDENTIALS),
    credentials(".vault-token", CREDENTIALS).masked(),
    credentials(".git-credentials", CREDENTIALS).masked(),
    credentials(".config/git/credentials", CREDENTIALS),
    credentials(".aws/", CREDENTIALS),
    credentials(".azure/", CREDENTIALS),
    credentials(".kube/", CREDENTIALS),
    credentials(".password-store/", CREDENTIALS),
    credentials(".docker/config.json", CREDENTIALS),
    credentials(".config/gcloud/", CREDENTIALS),
    credentials(".config/gh/", CREDENTIALS),
    credentials(".config/op/", CREDENTIALS),
    credentials("helve/credentials.toml", CREDENTIALS),
    credentials(".config/containers/auth.json", CREDENTIALS),
    credentials(".cargo/credentials", CREDENTIALS),
    credentials(".cargo/credentials.toml", CREDENTIALS),
    secret(".gem/credentials", CREDENTIALS),
    credentials(".terraform.d/credentials.tfrc.json", CREDENTIALS),
    credentials(".local/share/keyrings/", CREDENTIALS),
    credentials("Library/Keychains/", CREDENTIALS),
    credentials(".mozilla/firefox/", BROWSER),
    credentials(".config/google-chrome/", BROWSER),
    credentials(".config/chromium/", BROWSER),
    secret(".bash_history", HISTORY).masked(),
    secret(".zsh_history", HISTORY).masked(),
    secret(".zhistory", HISTORY).masked(),
    secret(".histfile", HISTORY).masked(),
    secret(".sh_history", HISTORY).masked(),
    secret(".ash_history", HISTORY).masked(),
    secret(".local/share/fish/fish_history", HISTORY),
    secret(".psql_history", HISTORY).masked(),
    secret(".mysql_history", HISTORY).masked(),
    secret(".mariadb_history", HISTORY).masked(),
    secret(".sqlite_history", HISTORY).masked(),
    secret(".rediscli_history", HISTORY).masked(),
    secret(".mongosh/", HISTORY),
    secret(".dbshell", HISTORY).masked(),
    secret(".python_history", HISTORY).masked(),
    secret(".ipython/", HISTORY),
    secret(".node_repl_history", HISTORY).masked(),
    secret(".irb_history", HISTORY).masked(),
    secret(".lesshst", HISTORY).masked(),
    secret(".viminfo", HISTORY).masked(),
    // Templates that users copy contain no secrets.
    except("!.env.example"),
    except("!.env.sample"),
    except("!.env.template"),
    except("!.env.dist"),
    // The trusted certificates of the system are no secret.
    except("!/etc/ssl/certs/"),
    except("!/etc/ssl/cert.pem"),
    except("!/etc/pki/tls/cert.pem"),
];
