//! The programs of other people: where they are installed, and how each is started.

use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a program may take to start, on a machine that does other things.
const START_TIMEOUT: Duration = Duration::from_secs(120);

/// Where the peers are installed.
#[derive(Debug, Clone)]
pub struct Peers {
    /// The program `node`, version 24.
    pub node: PathBuf,
    /// The folder `node_modules`.
    pub modules: PathBuf,
    /// The Python of a virtual environment with `mcp`, `fastmcp`, `mcp-server-git` and `mcp-server-time`.
    pub python: PathBuf,
}

impl Peers {
    /// Finds them by `HELVE_PEERS_NODE`, `HELVE_PEERS_NPM` and `HELVE_PEERS_PYTHON`; says in one line that there are none.
    ///
    /// # Panics
    /// When they are missing although `HELVE_PEERS_REQUIRED` is set.
    #[must_use]
    pub fn find() -> Option<Self> {
        let place = |name: &str| {
            std::env::var_os(name)
                .map(PathBuf::from)
                .filter(|path| path.exists())
        };
        let found = place("HELVE_PEERS_NODE").zip(place("HELVE_PEERS_NPM"));
        match found.zip(place("HELVE_PEERS_PYTHON")) {
            Some(((node, modules), python)) => Some(Self {
                node,
                modules,
                python,
            }),
            None => {
                let names = "HELVE_PEERS_NODE, HELVE_PEERS_NPM and HELVE_PEERS_PYTHON";
                assert!(
                    std::env::var_os("HELVE_PEERS_REQUIRED").is_none(),
                    "{names} do not say where the peers are; `.ci/mcp-peers` installs them"
                );
                println!("ran nothing: {names} do not say where the peers are");
                None
            }
        }
    }

    /// Returns the script of one of the reference servers on npm, such as `everything`.
    #[must_use]
    pub fn reference_server(&self, name: &str) -> String {
        self.server(&format!(
            "@modelcontextprotocol/server-{name}/dist/index.js"
        ))
    }

    /// Returns the script of a server on npm, by its place in `node_modules`.
    #[must_use]
    pub fn server(&self, script: &str) -> String {
        text(&self.modules.join(script))
    }

    /// Returns the script of the inspector.
    #[must_use]
    pub fn inspector(&self) -> PathBuf {
        self.modules
            .join("@modelcontextprotocol/inspector/clients/launcher/build/index.js")
    }

    /// Returns `node` as an argument.
    #[must_use]
    pub fn node(&self) -> String {
        text(&self.node)
    }

    /// Returns the Python as an argument.
    #[must_use]
    pub fn python(&self) -> String {
        text(&self.python)
    }
}

/// A program that listens on a port of this machine; it ends with the value.
#[derive(Debug)]
pub struct ServerProcess {
    child: Child,
    /// The port.
    pub port: u16,
}

impl ServerProcess {
    /// Starts a program on a free port, which `command` puts where the program wants it, and waits until it answers.
    ///
    /// # Panics
    /// When it does not start, three times in a row: another program may have taken the port in between.
    pub fn start(command: impl Fn(u16) -> Command) -> Self {
        for _ in 0..3 {
            let port = free_port();
            let mut child = quiet(&mut command(port)).spawn().expect("a peer starts");
            if answers(&mut child, port) {
                return Self { child, port };
            }
            end(&mut child);
        }
        panic!("a peer did not start: {:?}", command(0));
    }

    /// Starts a program that tells its address in a line of standard error, and waits for that line.
    ///
    /// # Panics
    /// When it ends without such a line.
    #[must_use]
    pub fn start_with_announced_port(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut said = String::new();
        let mut lines = BufReader::new(child.stderr.take().expect("it is piped"));
        let port = loop {
            let from = said.len();
            if lines.read_line(&mut said).unwrap_or(0) == 0 {
                end(&mut child);
                panic!("{command:?} told no address:\n{said}");
            }
            if let Some(port) = port_in(&said[from..]) {
                break port;
            }
        };
        // What it says later goes nowhere, but must not fill the pipe.
        std::thread::spawn(move || io::copy(&mut lines, &mut io::sink()));
        Self { child, port }
    }

    /// Returns an address of it.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

/// Runs a program to its end, bounded; returns whether it went well, and all that it said.
///
/// # Panics
/// When it does not start, or does not end.
#[must_use]
pub fn run(command: &mut Command) -> (bool, String) {
    // A pipe that nobody reads would stop a program that says much.
    let mut file = tempfile::tempfile().expect("a temporary file");
    let handle = || file.try_clone().expect("another handle");
    let (output, errors) = (handle(), handle());
    let mut child = command
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(errors)
        .spawn()
        .expect("the program starts");
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child has a status") {
            break status;
        }
        if started.elapsed() > 2 * START_TIMEOUT {
            end(&mut child);
            panic!("{command:?} did not end");
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let mut said = String::new();
    file.rewind()
        .and_then(|()| file.read_to_string(&mut said))
        .expect("what was written can be read");
    (status.success(), said)
}

fn quiet(command: &mut Command) -> &mut Command {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
}

fn answers(child: &mut Child, port: u16) -> bool {
    let started = Instant::now();
    while started.elapsed() < START_TIMEOUT {
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return true;
        }
        if !matches!(child.try_wait(), Ok(None)) {
            return false;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    false
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("it has an address").port()
}

/// Finds the port in a text such as `listening on http://127.0.0.1:4000/mcp`.
fn port_in(text: &str) -> Option<u16> {
    let after = text.split("127.0.0.1:").nth(1)?;
    let digits = after.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

fn text(path: &Path) -> String {
    OsString::from(path).to_string_lossy().into_owned()
}
