//! Questions about hosts and folders that the sandbox blocks, and the settings that their answers change.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::Command;

use serde_json::json;

use crate::isolation;
use crate::terminal::pty::{PtyFixture, call_events, stop_events, text_events};

const RUN: [&str; 5] = ["run", "Do it.", "--no-session", "--mode", "bypass"];
const PROMPT: &str = "\n  >";

/// Requests a page through the proxy: bash speaks TCP.
const GET: &str = "p=${http_proxy#http://}\nexec 3<>/dev/tcp/${p%:*}/${p#*:}\n\
     printf 'GET http://%s/ HTTP/1.1\\r\\nHost: %s\\r\\nConnection: close\\r\\n\\r\\n' $1 $1 >&3\ncat <&3\n";

/// A settings file that allows the other ports of the server's address, and what is asked about after a page is read.
const SETTINGS: &str =
    "[sandbox] # mine\nhosts = [\"127.0.0.2\"]\n\n[untrusted]\nask = \"never\"\n";

fn server() -> u16 {
    let listener = TcpListener::bind("127.0.0.2:0").expect("a port");
    let port = listener.local_addr().expect("a port").port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(
                b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello",
            );
        }
    });
    port
}

fn fixture(command: &str) -> PtyFixture {
    let place = PtyFixture::new().with_recording(&[
        call_events("c1", "bash", &json!({ "command": command })),
        [text_events("Done."), stop_events()].concat(),
    ]);
    std::fs::write(place.path("project/get.sh"), GET).expect("a file");
    std::fs::create_dir_all(place.path("home/.config/helve")).expect("a folder");
    std::fs::write(place.path(FILE), SETTINGS).expect("a file");
    place
}

const FILE: &str = "home/.config/helve/helve.toml";

#[test]
fn a_host_that_is_always_allowed_is_in_the_settings_and_asked_about_once() {
    if isolation::skip("terminal::blocked::a_host_that_is_always_allowed") {
        return;
    }
    let port = server();
    let place = fixture(&format!("bash get.sh 127.0.0.2:{port}"));
    let mut terminal = place.start_workshop_in(&RUN, &[], (30, 100));
    let asked = terminal.wait_for(PROMPT);
    let asked = asked.replace(&port.to_string(), "PORT");
    let (_, asked) = asked.split_once("? Allow").expect("a question");
    insta::assert_snapshot!(asked, @r#"
     bash to connect to 127.0.0.2:PORT?
        bash get.sh 127.0.0.2:PORT
      Reason: a command connects to `127.0.0.2:PORT`, which no rule of the sandbox allows
      [y] yes, for this command
      [a] always in this session
      [u] always, in your settings: `sandbox.hosts`
      [n] no
      or type what to do instead
      >
    "#);
    terminal.type_line("u");
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("HTTP/1.1 200 OK"), "{screen}");
    let settings = std::fs::read_to_string(place.path(FILE)).expect("a file");
    let hosts = format!("hosts = [\"127.0.0.2\", \"127.0.0.2:{port}\"]");
    assert_eq!(
        settings,
        SETTINGS.replace("hosts = [\"127.0.0.2\"]", &hosts)
    );
    assert!(!place.path("project/helve.toml").exists());
    // A new process has the rule.
    let terminal = place.start_workshop_in(&RUN, &[], (30, 100));
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 0, "{screen}");
    assert!(
        screen.contains("HTTP/1.1 200 OK") && !screen.contains("? Allow"),
        "{screen}"
    );
}

#[test]
fn a_narrow_window_asks_about_a_host_too() {
    if isolation::skip("terminal::blocked::a_narrow_window_asks_about_a_host_too") {
        return;
    }
    let place = fixture("bash get.sh blocked.example");
    let mut terminal = place.start_workshop_in(&RUN, &[], (30, 40));
    let asked = terminal.wait_for(PROMPT);
    let (_, asked) = asked.split_once("? Allow").expect("a question");
    insta::assert_snapshot!(asked, @r#"
     bash to connect to
      blocked.example:80?
        bash get.sh blocked.example
      Reason: a command connects to
        `blocked.example:80`, which no rule
        of the sandbox allows
      [y] yes, for this command
      [a] always in this session
      [u] always, in your settings:
          `sandbox.hosts`
      [n] no
      or type what to do instead
      >
    "#);
    terminal.type_line("use the mirror");
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 0, "{screen}");
    let place = std::fs::read_to_string(place.path(FILE)).expect("a file");
    assert_eq!(place, SETTINGS);
}

#[test]
fn a_folder_is_asked_about_and_the_command_runs_again() {
    if isolation::skip("terminal::blocked::a_folder_is_asked_about") {
        return;
    }
    let place = PtyFixture::new();
    std::fs::create_dir(place.path("data")).expect("a folder");
    std::fs::write(place.path("data/list.txt"), "milk and bread\n").expect("a file");
    let file = place.path("data/list.txt").canonicalize().expect("a file");
    let place = place.with_recording(&[
        call_events(
            "c1",
            "bash",
            &json!({ "command": format!("cat {}", file.display()) }),
        ),
        [text_events("Done."), stop_events()].concat(),
    ]);
    let mut terminal = place.start_workshop_in(&RUN, &[], (30, 100));
    let asked = terminal.wait_for(PROMPT);
    let (_, asked) = asked.split_once("? Allow").expect("a question");
    assert!(
        asked.starts_with(" bash to read PLACE/data/list.txt?"),
        "{asked}"
    );
    assert!(
        asked.contains("[u] always, in your settings: `sandbox.readable`"),
        "{asked}"
    );
    terminal.type_line("y");
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("milk and bread"), "{screen}");
    assert!(!place.path(FILE).exists());
}

#[test]
fn without_a_terminal_nothing_is_asked_and_the_setting_is_named() {
    if isolation::skip("terminal::blocked::without_a_terminal_nothing_is_asked") {
        return;
    }
    let place = fixture("bash get.sh blocked.example");
    let output = Command::new(env!("CARGO_BIN_EXE_workshop"))
        .args(RUN)
        .current_dir(place.path("project"))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", place.path("home"))
        .env("HELVE_STATE", place.path("state"))
        .env("WORKSHOP_GATES", place.path("gates"))
        .env("WORKSHOP_RECORDING", place.path("replies.jsonl"))
        .output()
        .expect("the binary starts");
    let told = String::from_utf8_lossy(&output.stderr);
    let note = "warning: the sandbox did not let a command connect to `blocked.example:80`, and no terminal is attached to \
                ask\nhelp: add \"blocked.example:80\" to `sandbox.hosts` in helve.toml";
    assert!(told.contains(note), "{told}");
    assert!(output.status.success(), "{told}");
}
