//! Files that hold secrets, and files that decide what runs: reading or writing them takes a person.

/// Files of a user, by the last of their names. Lower case, sorted.
static NAMES: &[&str] = &[
    ".bash_history", ".bash_login", ".bash_logout", ".bash_profile", ".bashrc", ".envrc", ".git-credentials",
    ".gitconfig", ".gitmodules", ".htpasswd", ".my.cnf", ".mylogin.cnf", ".netrc", ".npmrc", ".pgpass", ".profile",
    ".psql_history", ".pypirc", ".s3cfg", ".vault-token", ".zprofile", ".zsh_history", ".zshenv", ".zshrc",
    "_netrc", "authorized_keys", "id_dsa", "id_ecdsa", "id_ed25519", "id_rsa",
];

/// Folders all of whose files are meant.
static FOLDERS: &[&str] = &[
    ".aws", ".azure", ".git", ".gnupg", ".idea", ".kube", ".password-store", ".ssh", ".vscode",
];

/// Places below a user's folder.
static PLACES: &[&str] = &[
    ".cargo/credentials", ".cargo/credentials.toml", ".config/gcloud", ".config/gh/hosts.yml", ".config/git/credentials",
    ".config/rclone/rclone.conf", ".docker/config.json", ".gem/credentials", ".local/share/keyrings",
];

/// Places of the machine.
static MACHINE: &[&str] = &[
    "/etc/gshadow", "/etc/krb5.keytab", "/etc/shadow", "/etc/ssl/private", "/etc/sudoers", "/etc/sudoers.d",
    "/proc/kcore", "/dev/mem", "/dev/kmem", "/var/run/docker.sock", "/run/docker.sock",
];

/// Names that stand for the rest where a pattern of the shell is looked at.
static SAMPLES: &[&str] = &[".env", ".env.local", ".env.production"];

/// Reports whether the place, written with `/` between its parts and without `.` and `..`, is one of them.
pub(super) fn is_secret(path: &str) -> bool {
    // Nearly no path has a dot at the beginning of a part, and none of those few names.
    let bytes = path.as_bytes();
    let is_hidden = bytes.first() == Some(&b'.') || path.contains("/.");
    let is_named = is_hidden
        || path.starts_with('/') && (path.starts_with("/etc") || path.starts_with("/proc") || path.starts_with("/dev")
            || path.contains("/docker.sock") || path.starts_with("/PROC") || path.starts_with("/ETC"))
        || last(path).starts_with(['i', 'I', 'a', 'A', '_']);
    is_named && is_secret_in_lower_case(&path.to_ascii_lowercase())
}

fn last(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}

fn is_secret_in_lower_case(path: &str) -> bool {
    let name = last(path);
    NAMES.binary_search(&name).is_ok()
        || is_environment_file(name)
        || path.split('/').any(|part| FOLDERS.contains(&part))
        || PLACES.iter().any(|place| has_place(path, place))
        || MACHINE.iter().any(|place| path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
        || is_process_memory(path)
}

fn has_place(path: &str, place: &str) -> bool {
    path.match_indices(place).any(|(at, _)| {
        let starts = at == 0 || path.as_bytes()[at - 1] == b'/';
        let rest = &path[at + place.len()..];
        starts && (rest.is_empty() || rest.starts_with('/'))
    })
}

/// `.env`, `.env.local` and the like; not what is meant to be copied to it.
fn is_environment_file(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(".env") else { return false };
    let is_template = ["example", "sample", "template", "dist", "defaults", "schema"]
        .iter()
        .any(|word| rest.contains(word));
    (rest.is_empty() || rest.starts_with(['.', '-', '_', '~'])) && !is_template
}

/// `/proc/self/environ` and what else shows a process from inside.
fn is_process_memory(path: &str) -> bool {
    path.strip_prefix("/proc/").is_some_and(|rest| {
        rest.split_once('/').is_some_and(|(_, file)| {
            matches!(last(file), "environ" | "mem" | "maps" | "auxv" | "pagemap") || file.starts_with("root") || file.starts_with("fd") || file.starts_with("cwd")
        })
    })
}

/// Reports whether a pattern of one file name, or of a path, could stand for one of them. The marks are those of
/// [`super::script::MARKS`]; `hidden` says whether `*` matches a leading dot, as it does for `find` and not for a shell.
pub(super) fn could_match(pattern: &str, hidden: bool) -> bool {
    let parts: Vec<String> = pattern.split('/').map(str::to_ascii_lowercase).collect();
    let fits = |part: &str, name: &str| {
        let starts_dotted = part.starts_with('.') || part.starts_with(super::script::MARKS[2]);
        (hidden || !name.starts_with('.') || starts_dotted) && super::glob::matches(part, name)
    };
    let names = NAMES.iter().chain(SAMPLES);
    let last_fits = parts.last().is_some_and(|part| !is_general(part) && names.clone().any(|name| fits(part, name)));
    let folder_fits = parts.iter().any(|part| !is_general(part) && FOLDERS.iter().any(|name| fits(part, name)));
    let machine_fits = pattern.starts_with('/')
        && MACHINE.iter().any(|place| {
            let place: Vec<&str> = place.split('/').collect();
            place.len() <= parts.len() && place.iter().zip(&parts).all(|(name, part)| super::glob::matches(part, name))
        });
    last_fits || folder_fits || machine_fits
}

/// `*` and the like: it stands for everything, and for nothing in particular.
fn is_general(part: &str) -> bool {
    let unmarked = part.trim_matches(|c| c == super::script::MARKS[0] || c == super::script::MARKS[1]);
    unmarked.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permission::shell::script::MARKS;

    #[test]
    fn secrets_are_known() {
        assert!(NAMES.is_sorted());
        for path in [
            "/home/u/.ssh/id_rsa", "/w/.env", ".env.local", "/etc/shadow", "/ETC/shadow", "/home/u/.AWS/credentials",
            "/proc/self/environ", "~/.ssh", "id_rsa", "/w/.git/config", "/proc/1/environ",
        ] {
            assert!(is_secret(path), "{path}");
        }
        for path in [
            "/w/src/main.rs", ".env.example", ".gitignore", "/etc/hosts", ".github/workflows", "docs/.sshd-notes.md",
            "/proc/cpuinfo", ".ssh-config-template.md", "environment.rs", "/dev/null",
        ] {
            assert!(!is_secret(path), "{path}");
        }
    }

    #[test]
    fn patterns_that_stand_for_a_secret_are_known() {
        let pattern = |text: &str| text.replace('*', &MARKS[0].to_string()).replace('?', &MARKS[1].to_string());
        for text in [".e*", "~/.ss?/id_rsa", ".en?", "/etc/sh*", "id_*"] {
            assert!(could_match(&pattern(text), false), "{text}");
        }
        for text in ["*", "*.rs", "src/*", "/etc/host*", "**/*.md"] {
            assert!(!could_match(&pattern(text), false), "{text}");
        }
        assert!(could_match(&pattern("*rc"), true) && !could_match(&pattern("*rc"), false));
    }
}
