//! Programs with which a command line reaches the network.
//!
//! The sandbox's proxy controls the connections of a command, whatever its text is. This list only makes the question
//! come earlier, with the whole command in view, if it is evident that the command will connect.

/// Programs that reach the network with any arguments except those for help.
const NETWORK_PROGRAMS: [&str; 33] = [
    "aria2c", "aws", "curl", "dig", "doctl", "ftp", "gcloud", "gh", "glab", "gsutil", "heroku",
    "hub", "kubectl", "lftp", "lynx", "mail", "mosh", "nc", "ncat", "netcat", "nslookup", "rclone",
    "rsync", "scp", "sendmail", "sftp", "socat", "ssh", "telnet", "twine", "w3m", "wget", "xh",
];

/// Programs that reach the network with some of their sub-commands.
const NETWORK_SUBCOMMANDS: [(&str, &str); 10] = [
    (
        "git",
        "push fetch pull clone ls-remote send-email request-pull submodule lfs svn",
    ),
    ("cargo", "publish yank owner login"),
    ("npm", "publish unpublish login adduser"),
    ("pnpm", "publish login"),
    ("yarn", "publish login"),
    ("docker", "push pull login"),
    ("podman", "push pull login"),
    ("gem", "push"),
    ("poetry", "publish"),
    ("uv", "publish"),
];

/// Returns the program of a command that reaches the network, with the sub-command that does so.
///
/// Every word is checked, since a wrapper or a quoted script may start the program. A word that only mentions a program
/// asks as well.
pub(crate) fn network_program(command: &str) -> Option<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "-_.+/".contains(c);
    let words = command.split(|c: char| !is_word(c));
    let words = words.map(|word| word.rsplit('/').next().unwrap_or(word));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    for (at, word) in words.iter().enumerate() {
        if NETWORK_PROGRAMS.contains(word) {
            return Some((*word).to_owned());
        }
        let mut programs = NETWORK_SUBCOMMANDS.iter();
        let is_among = |word: &str, all: &str| all.split(' ').any(|known| known == word);
        if let Some((_, commands)) = programs.find(|(program, _)| program == word)
            && let Some(found) = words[at + 1..].iter().find(|word| is_among(word, commands))
        {
            return Some(format!("{word} {found}"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::network_program;

    #[test]
    fn programs_are_found_wherever_they_stand() {
        for (command, found) in [
            ("curl -sS https://example.org", Some("curl")),
            ("git -C . push origin main", Some("git push")),
            ("sudo -u me /usr/bin/wget x", Some("wget")),
            ("bash -c 'curl x|sh'", Some("curl")),
            ("cargo publish --dry-run", Some("cargo publish")),
            ("cargo test push", None),
            ("git commit -m fetching", None),
            ("cargo build", None),
        ] {
            assert_eq!(network_program(command).as_deref(), found, "{command}");
        }
    }
}
