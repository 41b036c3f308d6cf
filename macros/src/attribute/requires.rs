//! The value of `requires(…)`.

use std::net::{Ipv4Addr, Ipv6Addr};

use proc_macro2::TokenStream;
use syn::punctuated::Punctuated;
use syn::{LitStr, Token};

use super::reader::{Entry, EntryValue};
use crate::report::{Report, suggestion};
use crate::rule::Rule;

/// The capabilities that a tool declares.
#[derive(Default)]
pub(crate) struct Requires {
    /// The fields of `Requires` that are set: the requirements that are written as a word.
    pub(crate) words: Vec<&'static str>,
    pub(crate) hosts: Vec<String>,
    pub(crate) programs: Vec<String>,
    pub(crate) secrets: Vec<String>,
}

/// The requirements, each of which is a field of the runtime's `Requires`.
const KNOWN: [&str; 8] = [
    "fs",
    "net",
    "process",
    "secrets",
    "kv",
    "conversation",
    "memory",
    "schedules",
];

impl Requires {
    pub(super) fn read(entry: &Entry, report: &mut Report) -> Self {
        let mut requires = Self::default();
        let EntryValue::List(list) = &entry.value else {
            entry.wrong::<()>(
                report,
                "`requires(fs, net, process, secrets(\"NAME\"), kv, conversation, memory, schedules)`",
            );
            return requires;
        };
        let entries = Entry::read_all_words(list.clone(), report);
        for inner in Entry::once_each(entries, &[], report) {
            requires.take(&inner, report);
        }
        requires
    }

    fn take(&mut self, entry: &Entry, report: &mut Report) {
        let name = entry.name();
        let Some(word) = KNOWN.into_iter().find(|word| *word == name) else {
            let message = format!(
                "unknown requirement `{name}`; {}",
                suggestion(&name, &KNOWN)
            );
            report.error(Rule::UnknownRequirement, &entry.key, message);
            return;
        };
        let is_set = match word {
            "net" => {
                let hosts = entry.read_narrowed("`net`, or `net(\"example.com\")`", report);
                let is_set = hosts.is_some();
                self.hosts = check_names(hosts, Rule::BadHost, host_mistake, report);
                is_set
            }
            "process" => {
                let programs = entry.read_narrowed("`process`, or `process(\"git\")`", report);
                let is_set = programs.is_some();
                self.programs = check_names(programs, Rule::BadProgram, program_mistake, report);
                is_set
            }
            "secrets" => {
                let names = entry.names();
                let names = names.or_else(|| entry.wrong(report, "`secrets(\"NAME\")`"));
                self.secrets = names.iter().flatten().map(LitStr::value).collect();
                false
            }
            _ => entry.word(report),
        };
        self.words.extend(is_set.then_some(word));
    }
}

impl Entry {
    fn read_all_words(list: TokenStream, report: &mut Report) -> Vec<Self> {
        match syn::parse::Parser::parse2(Punctuated::<Self, Token![,]>::parse_terminated, list) {
            Ok(entries) => entries.into_iter().collect(),
            Err(error) => {
                report.syntax(error);
                Vec::new()
            }
        }
    }

    /// Parses a requirement without a value.
    fn word(&self, report: &mut Report) -> bool {
        let right = format!("`{}`, without a value", self.key);
        matches!(self.value, EntryValue::Flag) || self.wrong(report, &right).unwrap_or_default()
    }

    /// Parses a requirement with an optional list of names that it is restricted to.
    fn read_narrowed(&self, right: &str, report: &mut Report) -> Option<Vec<LitStr>> {
        match &self.value {
            EntryValue::Flag => Some(Vec::new()),
            _ => self.names().or_else(|| self.wrong(report, right)),
        }
    }

    /// Parses `("A", "B")`.
    fn names(&self) -> Option<Vec<LitStr>> {
        let EntryValue::List(list) = &self.value else {
            return None;
        };
        let parser = Punctuated::<LitStr, Token![,]>::parse_terminated;
        let names = syn::parse::Parser::parse2(parser, list.clone()).ok()?;
        (!names.is_empty()).then(|| names.into_iter().collect())
    }
}

/// Returns the valid names, and reports the invalid ones.
fn check_names(
    names: Option<Vec<LitStr>>,
    rule: Rule,
    mistake: impl Fn(&str) -> Option<&'static str>,
    report: &mut Report,
) -> Vec<String> {
    let mut taken = Vec::new();
    for name in names.into_iter().flatten() {
        let text = name.value();
        match mistake(&text) {
            None => taken.push(text),
            Some(why) => report.error(rule, &name, why),
        }
    }
    taken
}

/// Returns the error of an invalid program name.
fn program_mistake(program: &str) -> Option<&'static str> {
    if program.is_empty() {
        return Some("a program has a name");
    }
    if program.contains(['/', '\\']) {
        return Some(
            "declare a program by its name, such as `git`, without a path: the path differs between machines",
        );
    }
    if program.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Some("a program is declared without its arguments");
    }
    None
}

/// Returns the error of an invalid host. The rules are those of the runtime, which also accepts international names.
fn host_mistake(written: &str) -> Option<&'static str> {
    if written.contains("://") {
        return Some("a host is declared without the scheme and the path of a URL");
    }
    if written.contains(|c: char| c.is_whitespace() || c.is_control() || "/@?#%\\".contains(c)) {
        return Some("a host is declared as `example.com`, `*.example.com`, or with a port");
    }
    let (host, port) = match written.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (written, None),
    };
    if port.is_some_and(|port| port != "*" && !is_port(port)) {
        return Some("a port is a number from 1 to 65535, or `*`; an IPv6 address is in brackets");
    }
    if host == "*" {
        return None;
    }
    let name = host.strip_prefix("*.").unwrap_or(host);
    if name.contains('*') {
        return Some("`*` must stand alone or replace the first label, as in `*.example.com`");
    }
    if let Some(address) = name.strip_prefix('[') {
        let address = address.strip_suffix(']').map(str::parse::<Ipv6Addr>);
        let is_address = matches!(address, Some(Ok(_))) && name == host;
        return (!is_address).then_some("an IPv6 address is written as in `[2001:db8::1]`");
    }
    if name.contains(':') {
        return Some("an IPv6 address is written as in `[2001:db8::1]`");
    }
    let name = name.strip_suffix('.').unwrap_or(name);
    let is_label = |label: &str| {
        let well = |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || "-_".contains(c);
        (1..=63).contains(&label.len()) && label.chars().all(well)
    };
    if name.len() > 253 || !name.split('.').all(is_label) {
        return Some("this is not the name of a host");
    }
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_number = last.starts_with(|c: char| c.is_ascii_digit())
        && (last.bytes().all(|byte| byte.is_ascii_digit()) || last.starts_with("0x"));
    let is_address = name.parse::<Ipv4Addr>().is_ok() && name == host;
    (is_number && !is_address).then_some("an IPv4 address is written as in `192.0.2.1`")
}

fn is_port(port: &str) -> bool {
    port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok_and(|port| port > 0)
}

#[cfg(test)]
mod tests {
    use super::{host_mistake, program_mistake};

    #[test]
    fn what_the_runtime_reads_is_let_through() {
        for host in [
            "crates.io",
            "*.crates.io",
            "Crates.IO.",
            "*",
            "*:*",
            "localhost:8080",
            "crates.io:*",
            "192.0.2.1",
            "192.0.2.1:80",
            "[2001:db8::1]",
            "[::1]:8080",
            "bücher.example",
            "a_b.example",
            "1e100.net",
        ] {
            assert_eq!(host_mistake(host), None, "{host}");
        }
        for program in ["git", "x86_64-linux-gnu-gcc", "clang++", "[", "ls.exe"] {
            assert_eq!(program_mistake(program), None, "{program}");
        }
    }

    #[test]
    fn what_the_runtime_does_not_read_is_a_mistake() {
        for host in [
            "",
            " ",
            "https://crates.io",
            "crates.io/x",
            "user@crates.io",
            "*crates.io",
            "a.*.io",
            "*.*",
            "*.",
            "crates..io",
            ".io",
            "crates.io:",
            "crates.io:0",
            "crates.io:65536",
            "crates.io:https",
            "::1",
            "[::1",
            "[1.2.3.4]",
            "*.[::1]",
            "*.192.0.2.1",
            "1.2.3",
            "0x7f.1",
            "0x7f000001",
            "256.0.0.1",
            "a%41.io",
        ] {
            assert!(host_mistake(host).is_some(), "{host}");
        }
        for program in ["", "/usr/bin/git", "./git", "a\\b", "git push", "git\n"] {
            assert!(program_mistake(program).is_some(), "{program}");
        }
    }
}
