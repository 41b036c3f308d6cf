//! Converts a policy to the text of a profile. In a profile the last matching rule decides.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::pattern::{expressions, folder_prefix};
use super::quote::{quote_path, quote_string};
use crate::sandbox::{Access, SandboxError, SandboxPolicy};
use helve_core::dangerous_paths::{Depth, depth_in_commands};

/// The system folders that commands need: programs, libraries, settings without secrets.
const SYSTEM: &[&str] = &[
    "/System",
    "/usr",
    "/bin",
    "/sbin",
    "/opt/homebrew",
    "/opt/local",
    "/nix",
    "/Library/Apple",
    "/Library/Developer",
    "/Library/Frameworks",
    "/Library/Java",
    "/Library/Preferences/Logging",
    "/Applications/Xcode.app",
    "/private/var/db/timezone",
    "/private/var/db/dyld",
    "/private/var/select",
];

/// Single files of the system.
const SYSTEM_FILES: &[&str] = &[
    "/",
    "/etc",
    "/tmp",
    "/var",
    "/private",
    "/private/etc/hosts",
    "/private/etc/localtime",
    "/private/etc/passwd",
    "/private/etc/protocols",
    "/private/etc/resolv.conf",
    "/private/etc/services",
    "/private/etc/shells",
    "/private/etc/ssl/cert.pem",
    "/private/etc/ssl/openssl.cnf",
];

/// Devices that are read and written like files.
const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/dtracehelper",
];

/// System services without which the C library does not start, or cannot look up its user.
const SERVICES: &[&str] = &[
    "com.apple.system.logger",
    "com.apple.system.notification_center",
    "com.apple.system.opendirectoryd.libinfo",
    "com.apple.system.opendirectoryd.membership",
    "com.apple.bsd.dirhelper",
    "com.apple.trustd.agent",
];

/// The input of a profile. All paths are resolved, without links, because the kernel compares resolved paths.
#[derive(Debug)]
pub(super) struct ProfileInput<'p> {
    pub(super) policy: &'p SandboxPolicy,
    /// The sandbox's own folders, such as its HOME.
    pub(super) private: &'p [PathBuf],
    /// Read-only folders.
    pub(super) projected: &'p [PathBuf],
    /// The port of the proxy on this machine, if the policy allows network access.
    pub(super) proxy: Option<u16>,
    pub(super) access: Access,
}

impl ProfileInput<'_> {
    pub(super) fn build(&self) -> Result<String, SandboxError> {
        let mut text = String::from(OPENING);
        let run = "allow file-read* process-exec*";
        let use_device = "allow file-read* file-write-data file-ioctl";
        rule(&mut text, "allow mach-lookup", "global-name", SERVICES)?;
        rule(&mut text, run, "subpath", SYSTEM)?;
        rule(&mut text, "allow file-read*", "literal", SYSTEM_FILES)?;
        rule(&mut text, use_device, "literal", DEVICES)?;

        let writable: Vec<&PathBuf> = self.policy.roots().collect();
        let readable = [
            self.policy.readable.as_slice(),
            self.projected,
            self.private,
        ]
        .map(|p| p.iter());
        let shown: Vec<&PathBuf> = writable
            .iter()
            .copied()
            .chain(readable.into_iter().flatten())
            .collect();
        heading(&mut text, "The folders of the session, and the way there.");
        let above = ancestors(&shown);
        rule(&mut text, "allow file-read-metadata", "literal", &above)?;
        rule(&mut text, run, "subpath", &shown)?;
        rule(&mut text, "allow file-write*", "subpath", self.private)?;
        if self.access == Access::Write {
            rule(&mut text, "allow file-write*", "subpath", &writable)?;
        }
        self.write_protected(&mut text)?;
        self.write_masked(&mut text, &shown)?;
        if let Some(port) = self.proxy {
            heading(&mut text, "One way out: the proxy.");
            let address = quote_string(&format!("localhost:{port}"));
            let _ = writeln!(text, "(allow network-outbound (remote ip {address}))");
        }
        Ok(text)
    }

    /// Denies changes of protected names, whether or not they exist yet.
    fn write_protected(&self, text: &mut String) -> Result<(), SandboxError> {
        heading(
            text,
            "What would run outside stays as it is, and the folders above it stay where they are.",
        );
        for pattern in &self.policy.protected {
            let expressions = expressions(pattern)?;
            let is_at_top = depth_in_commands(pattern).is_some_and(|depth| depth < Depth::Anywhere);
            let starts = if is_at_top {
                let roots = self.policy.roots();
                roots.map(|root| folder_prefix(root)).collect()
            } else {
                vec![String::new()]
            };
            for start in starts {
                let covers = quote_string(&(start.clone() + &expressions.covers));
                let _ = writeln!(text, "(deny file-write* (regex {covers}))");
                for ahead in &expressions.ancestors {
                    let ahead = quote_string(&(start.clone() + ahead));
                    let _ = writeln!(text, "(deny file-write-unlink (regex {ahead}))");
                }
            }
        }
        Ok(())
    }

    fn write_masked(&self, text: &mut String, shown: &[&PathBuf]) -> Result<(), SandboxError> {
        heading(text, "Secrets are not shown.");
        let mut folders = String::new();
        for folder in shown {
            let _ = write!(folders, " (subpath {})", quote_path(folder)?);
        }
        for pattern in &self.policy.masked {
            let covers = quote_string(&expressions(pattern)?.covers);
            let _ = writeln!(
                text,
                "(deny file-read* file-write* (require-all (require-any{folders}) (regex {covers})))"
            );
        }
        Ok(())
    }
}

const OPENING: &str = "\
(version 1)
(deny default)

; Processes of the sandbox among themselves.
(allow process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow process-info-pidinfo (target self))
(allow sysctl-read)
(allow ipc-posix-sem)
(allow ipc-posix-shm (ipc-posix-name-regex \"^/psm_\"))
(allow pseudo-tty)
(allow file-read* file-write* file-ioctl (regex \"^/dev/ttys[0-9]+$\"))

; The system.
";

fn heading(text: &mut String, words: &str) {
    let _ = write!(text, "\n; {words}\n");
}

/// Writes one rule with several paths.
fn rule<P: AsRef<Path>>(
    text: &mut String,
    head: &str,
    filter: &str,
    places: &[P],
) -> Result<(), SandboxError> {
    if places.is_empty() {
        return Ok(());
    }
    let _ = write!(text, "({head}");
    for place in places {
        let place = place.as_ref();
        let quoted = match place.to_str() {
            // The name of a service is not a path.
            Some(name) if filter == "global-name" => quote_string(name),
            _ => quote_path(place)?,
        };
        let _ = write!(text, "\n  ({filter} {quoted})");
    }
    text.push_str(")\n");
    Ok(())
}

/// Returns the ancestors of the folders, whose names are looked up during path resolution.
fn ancestors<'p>(folders: &[&'p PathBuf]) -> Vec<&'p Path> {
    let mut above: Vec<&Path> = folders
        .iter()
        .flat_map(|folder| folder.ancestors().skip(1))
        .filter(|folder| *folder != Path::new("/"))
        .collect();
    above.sort_unstable();
    above.dedup();
    above
}

#[cfg(test)]
mod tests {
    use super::ProfileInput;
    use crate::sandbox::{Access, SandboxError, SandboxPolicy};

    fn policy() -> SandboxPolicy {
        let mut policy = SandboxPolicy::new("/Users/ada/the \"project\"");
        policy.writable.push("/Users/ada/cache".into());
        policy.readable.push("/Users/ada/library".into());
        policy.protected = vec![".git/hooks".to_owned(), ".bashrc".to_owned()];
        policy.masked = vec![".env.*".to_owned()];
        policy
    }

    fn build(
        policy: &SandboxPolicy,
        proxy: Option<u16>,
        access: Access,
    ) -> Result<String, SandboxError> {
        let input = ProfileInput {
            policy,
            private: &["/private/tmp/helve/home".into()],
            projected: &["/Users/ada/skills".into()],
            proxy,
            access,
        };
        input.build()
    }

    fn profile(policy: &SandboxPolicy, proxy: Option<u16>, access: Access) -> String {
        build(policy, proxy, access).expect("a profile")
    }

    #[test]
    fn a_policy_as_a_profile() {
        insta::assert_snapshot!(profile(&policy(), None, Access::Write), @r#"
        (version 1)
        (deny default)

        ; Processes of the sandbox among themselves.
        (allow process-fork)
        (allow signal (target same-sandbox))
        (allow process-info* (target same-sandbox))
        (allow process-info-pidinfo (target self))
        (allow sysctl-read)
        (allow ipc-posix-sem)
        (allow ipc-posix-shm (ipc-posix-name-regex "^/psm_"))
        (allow pseudo-tty)
        (allow file-read* file-write* file-ioctl (regex "^/dev/ttys[0-9]+$"))

        ; The system.
        (allow mach-lookup
          (global-name "com.apple.system.logger")
          (global-name "com.apple.system.notification_center")
          (global-name "com.apple.system.opendirectoryd.libinfo")
          (global-name "com.apple.system.opendirectoryd.membership")
          (global-name "com.apple.bsd.dirhelper")
          (global-name "com.apple.trustd.agent"))
        (allow file-read* process-exec*
          (subpath "/System")
          (subpath "/usr")
          (subpath "/bin")
          (subpath "/sbin")
          (subpath "/opt/homebrew")
          (subpath "/opt/local")
          (subpath "/nix")
          (subpath "/Library/Apple")
          (subpath "/Library/Developer")
          (subpath "/Library/Frameworks")
          (subpath "/Library/Java")
          (subpath "/Library/Preferences/Logging")
          (subpath "/Applications/Xcode.app")
          (subpath "/private/var/db/timezone")
          (subpath "/private/var/db/dyld")
          (subpath "/private/var/select"))
        (allow file-read*
          (literal "/")
          (literal "/etc")
          (literal "/tmp")
          (literal "/var")
          (literal "/private")
          (literal "/private/etc/hosts")
          (literal "/private/etc/localtime")
          (literal "/private/etc/passwd")
          (literal "/private/etc/protocols")
          (literal "/private/etc/resolv.conf")
          (literal "/private/etc/services")
          (literal "/private/etc/shells")
          (literal "/private/etc/ssl/cert.pem")
          (literal "/private/etc/ssl/openssl.cnf"))
        (allow file-read* file-write-data file-ioctl
          (literal "/dev/null")
          (literal "/dev/zero")
          (literal "/dev/random")
          (literal "/dev/urandom")
          (literal "/dev/tty")
          (literal "/dev/ptmx")
          (literal "/dev/dtracehelper"))

        ; The folders of the session, and the way there.
        (allow file-read-metadata
          (literal "/Users")
          (literal "/Users/ada")
          (literal "/private")
          (literal "/private/tmp")
          (literal "/private/tmp/helve"))
        (allow file-read* process-exec*
          (subpath "/Users/ada/the \"project\"")
          (subpath "/Users/ada/cache")
          (subpath "/Users/ada/library")
          (subpath "/Users/ada/skills")
          (subpath "/private/tmp/helve/home"))
        (allow file-write*
          (subpath "/private/tmp/helve/home"))
        (allow file-write*
          (subpath "/Users/ada/the \"project\"")
          (subpath "/Users/ada/cache"))

        ; What would run outside stays as it is, and the folders above it stay where they are.
        (deny file-write* (regex "/[.][gG][iI][tT]/[hH][oO][oO][kK][sS](/.*)?$"))
        (deny file-write-unlink (regex "/[.][gG][iI][tT]$"))
        (deny file-write* (regex "/[.][bB][aA][sS][hH][rR][cC](/.*)?$"))

        ; Secrets are not shown.
        (deny file-read* file-write* (require-all (require-any (subpath "/Users/ada/the \"project\"") (subpath "/Users/ada/cache") (subpath "/Users/ada/library") (subpath "/Users/ada/skills") (subpath "/private/tmp/helve/home")) (regex "/[.][eE][nN][vV][.][^/]*(/.*)?$")))
        "#);
    }

    #[test]
    fn a_proxy_is_the_only_way_out() {
        let closed = profile(&policy(), None, Access::Write);
        assert!(!closed.contains("network"));
        let open = profile(&policy(), Some(4242), Access::Write);
        let mut ways = open.lines().filter(|line| line.contains("network"));
        let way = "(allow network-outbound (remote ip \"localhost:4242\"))";
        assert_eq!((ways.next(), ways.next()), (Some(way), None));
    }

    #[test]
    fn who_only_reads_writes_in_private_folders_alone() {
        let text = profile(&policy(), None, Access::Read);
        let rule = "(allow file-write*\n  (subpath \"/private/tmp/helve/home\"))\n";
        assert!(text.contains(rule));
        assert_eq!(text.matches("(allow file-write*").count(), 1);
    }

    #[test]
    fn the_usual_policy_has_a_profile_and_its_parentheses_meet() {
        let text = profile(&SandboxPolicy::new("/ws"), None, Access::Write);
        let code: String = text
            .lines()
            .filter(|line| !line.starts_with(';'))
            .flat_map(|line| line.split('"').step_by(2))
            .collect();
        assert_eq!(code.matches('(').count(), code.matches(')').count());
        // Denials come last, because the last matching rule decides.
        assert!(text.rfind("(allow file-write*") < text.find("(deny file-write*"));
    }

    #[test]
    fn what_cannot_be_said_safely_is_refused() {
        let mut policy = policy();
        policy.readable.push("/a\nb".into());
        assert!(build(&policy, None, Access::Write).is_err());
    }
}
