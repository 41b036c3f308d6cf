//! What starts the daemon with the machine: units of systemd and launchd.

use std::path::Path;

use crate::schedule::{fnv, slug};

/// What starts and restarts programs in the background.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServiceManager {
    /// systemd, as a service of a user.
    Systemd,
    /// launchd, as an agent of a user.
    Launchd,
}

impl ServiceManager {
    /// Returns the service manager of this system, as far as it is known.
    #[must_use]
    pub const fn of_system() -> Self {
        match cfg!(target_os = "macos") {
            true => Self::Launchd,
            false => Self::Systemd,
        }
    }

    /// Renders a unit that runs a command in a folder when the user logs in, and again if it fails. Comments say where the
    /// file belongs and how it is started.
    ///
    /// ```
    /// use std::path::Path;
    /// use helve::schedule::ServiceManager;
    ///
    /// let (folder, command) = (Path::new("/home/ada/project"), ["/usr/bin/assistant", "daemon"]);
    /// let unit = ServiceManager::Systemd.unit("assistant", folder, &command);
    /// assert!(unit.contains("ExecStart=\"/usr/bin/assistant\" \"daemon\"\n"));
    /// ```
    #[must_use]
    pub fn unit<A: AsRef<str>>(self, name: &str, folder: &Path, command: &[A]) -> String {
        let unit = unit_name(name, folder);
        let folder = folder.to_string_lossy();
        let words = || command.iter().map(AsRef::as_ref);
        match self {
            Self::Systemd => systemd(&unit, name, &folder, words()),
            Self::Launchd => launchd(&unit, name, &folder, words()),
        }
    }
}

/// Returns the name of a unit. Each folder has a daemon of its own, and folders of the same name are told apart by a digest.
fn unit_name(name: &str, folder: &Path) -> String {
    let last = folder.file_name().unwrap_or_default().to_string_lossy();
    let digest = fnv(folder.to_string_lossy().bytes());
    format!("{name}-daemon-{}-{:08x}", slug(&last), digest >> 32)
}

fn systemd<'a>(
    unit: &str,
    name: &str,
    folder: &str,
    command: impl Iterator<Item = &'a str>,
) -> String {
    let words: Vec<String> = command.map(quote_for_systemd).collect();
    let (folder_text, line) = (folder.replace('%', "%%"), words.join(" "));
    format!(
        "# ~/.config/systemd/user/{unit}.service\n\
         # Start it:        systemctl --user enable --now {unit}\n\
         # Without a login: loginctl enable-linger\n\
         # It does not see the variables of your shell, such as keys: `{name} login` stores a key\n\
         [Unit]\n\
         Description=Scheduled runs of {name} in {folder_text}\n\
         After=network-online.target\n\
         \n\
         [Service]\n\
         Type=notify\n\
         WatchdogSec=60\n\
         ExecStart={line}\n\
         WorkingDirectory={folder_text}\n\
         Restart=on-failure\n\
         RestartSec=10\n\
         \n\
         [Install]\n\
         WantedBy=default.target\n"
    )
}

/// Quotes a word of a command line of systemd.
fn quote_for_systemd(word: &str) -> String {
    let mut quoted = String::from("\"");
    for character in word.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '%' | '$' => quoted.extend([character, character]),
            '\n' => quoted.push_str("\\n"),
            character => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

fn launchd<'a>(
    unit: &str,
    name: &str,
    folder: &str,
    command: impl Iterator<Item = &'a str>,
) -> String {
    let word = |word: &str| format!("    <string>{}</string>\n", escape_xml(word));
    let words: String = command.map(word).collect();
    let (label, name, folder) = (escape_xml(unit), escape_xml(name), escape_xml(folder));
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!-- ~/Library/LaunchAgents/{label}.plist; start it: launchctl bootstrap gui/$UID FILE\n     \
         It does not see the variables of your shell, such as keys: `{name} login` stores a key -->\n\
         <plist version=\"1.0\">\n\
         <dict>\n  \
         <key>Label</key>\n  <string>{label}</string>\n  \
         <key>ProgramArguments</key>\n  <array>\n{words}  </array>\n  \
         <key>WorkingDirectory</key>\n  <string>{folder}</string>\n  \
         <key>RunAtLoad</key>\n  <true/>\n  \
         <key>KeepAlive</key>\n  <dict>\n    <key>SuccessfulExit</key>\n    <false/>\n  </dict>\n\
         </dict>\n\
         </plist>\n"
    )
}

fn escape_xml(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_command_stay_words() {
        let command = ["/opt/my apps/a\"b", "50%", "$HOME"];
        let unit = ServiceManager::Systemd.unit("app", Path::new("/tmp/100%"), &command);
        assert!(
            unit.contains(r#"ExecStart="/opt/my apps/a\"b" "50%%" "$$HOME""#),
            "{unit}"
        );
        assert!(unit.contains("WorkingDirectory=/tmp/100%%\n"), "{unit}");
    }

    #[test]
    fn each_folder_has_a_unit_of_its_own() {
        let names = ["/home/ada/notes", "/srv/notes", "/srv/My notes"];
        let names = names.map(|folder| unit_name("app", Path::new(folder)));
        insta::assert_snapshot!(names.join("\n"), @"
        app-daemon-notes-13f480cb
        app-daemon-notes-2c8bdd97
        app-daemon-my-notes-0b5f8d26
        ");
        let unit = ServiceManager::Systemd.unit("app", Path::new("/srv/notes"), &["app"]);
        assert!(unit.contains(&format!("/{}.service\n", names[1])), "{unit}");
    }

    #[test]
    fn a_launch_agent_is_a_property_list() {
        let unit = ServiceManager::Launchd.unit("app", Path::new("/a&b"), &["app", "<daemon>"]);
        insta::assert_snapshot!(unit, @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <!-- ~/Library/LaunchAgents/app-daemon-a-b-365d429c.plist; start it: launchctl bootstrap gui/$UID FILE
             It does not see the variables of your shell, such as keys: `app login` stores a key -->
        <plist version="1.0">
        <dict>
          <key>Label</key>
          <string>app-daemon-a-b-365d429c</string>
          <key>ProgramArguments</key>
          <array>
            <string>app</string>
            <string>&lt;daemon&gt;</string>
          </array>
          <key>WorkingDirectory</key>
          <string>/a&amp;b</string>
          <key>RunAtLoad</key>
          <true/>
          <key>KeepAlive</key>
          <dict>
            <key>SuccessfulExit</key>
            <false/>
          </dict>
        </dict>
        </plist>
        "#);
    }
}
