//! Listeners outside of the sandbox, and what they received.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::escape::user_suite::random_text;

/// Who listens, and what came.
pub(crate) struct Listeners {
    pub(crate) tcp: u16,
    pub(crate) tcp6: Option<u16>,
    pub(crate) udp: u16,
    /// An address of this machine beside the loopback, where it has one.
    pub(crate) host_address: Option<String>,
    /// The name of an abstract stream socket, and of one for datagrams.
    pub(crate) names: [String; 2],
    /// The path of a stream socket.
    pub(crate) path: PathBuf,
    received: Received,
}

/// What came, from all listeners.
#[derive(Clone, Default)]
struct Received(Arc<(Mutex<Vec<u8>>, Condvar)>);

const PATIENCE: Duration = Duration::from_secs(10);

impl Received {
    fn push(&self, bytes: &[u8]) {
        let mut all = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend_from_slice(bytes);
        all.push(b'\n');
        self.0.1.notify_all();
    }

    fn wait_for(&self, text: &str, patience: Duration) -> bool {
        let all = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        let missing = |all: &mut Vec<u8>| !contains(all, text.as_bytes());
        let (all, _) = self
            .0
            .1
            .wait_timeout_while(all, patience, missing)
            .unwrap_or_else(PoisonError::into_inner);
        contains(&all, text.as_bytes())
    }

    fn drain(&self, mut stream: impl Read) {
        let mut bytes = Vec::new();
        // What came before the time was up counts.
        drop(stream.read_to_end(&mut bytes));
        self.push(&bytes);
    }
}

/// Reports whether a text occurs in bytes.
pub(crate) fn contains(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}

impl Listeners {
    /// Starts to listen everywhere.
    pub(crate) fn open(folder: &Path) -> Self {
        fs::create_dir_all(folder).expect("a folder for sockets");
        let received = Received::default();
        let tcp = TcpListener::bind("0.0.0.0:0").expect("a listener");
        let tcp6 = TcpListener::bind("[::1]:0").ok();
        let udp = UdpSocket::bind("0.0.0.0:0").expect("a socket");
        let own = UdpSocket::bind("0.0.0.0:0").and_then(|socket| {
            socket.connect("192.0.2.1:9")?;
            socket.local_addr()
        });
        let names = [random_text(), random_text()];
        let post = Self {
            tcp: tcp.local_addr().expect("an address").port(),
            tcp6: tcp6
                .as_ref()
                .map(|listener| listener.local_addr().expect("an address").port()),
            udp: udp.local_addr().expect("an address").port(),
            host_address: own.ok().map(|address| address.ip().to_string()),
            path: folder.join("stream"),
            names,
            received,
        };
        post.listen_tcp(tcp);
        tcp6.into_iter()
            .for_each(|listener| post.listen_tcp(listener));
        let to = post.received.clone();
        thread::spawn(move || {
            let mut packet = [0; 2048];
            while let Ok(size) = udp.recv(&mut packet) {
                to.push(&packet[..size]);
            }
        });
        let [stream, datagrams] = post
            .names
            .each_ref()
            .map(|name| SocketAddr::from_abstract_name(name).expect("an abstract address"));
        post.listen_unix(UnixListener::bind_addr(&stream).expect("a listener"));
        post.listen_unix(UnixListener::bind(&post.path).expect("a listener"));
        post.listen_datagrams(UnixDatagram::bind_addr(&datagrams).expect("a socket"));
        post
    }

    fn listen_tcp(&self, listener: TcpListener) {
        let to = self.received.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                drop(stream.set_read_timeout(Some(Duration::from_secs(2))));
                to.drain(stream);
            }
        });
    }

    /// Listens at one more stream socket.
    pub(crate) fn listen_unix(&self, listener: UnixListener) {
        let to = self.received.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                drop(stream.set_read_timeout(Some(Duration::from_secs(2))));
                to.drain(stream);
            }
        });
    }

    /// Listens at one more datagram socket.
    pub(crate) fn listen_datagrams(&self, socket: UnixDatagram) {
        let to = self.received.clone();
        thread::spawn(move || {
            let mut packet = [0; 2048];
            while let Ok(size) = socket.recv(&mut packet) {
                to.push(&packet[..size]);
            }
        });
    }

    /// Reports whether a text came. What was sent before this was asked has come: a letter of the test's own is sent
    /// after it to every listener, and waited for.
    pub(crate) fn has_received(&self, text: &str, unix: &[PathBuf]) -> bool {
        let mut letters = Vec::new();
        let mut letter = || {
            letters.push(format!("letter-{}", random_text()));
            letters.last().expect("a letter").clone().into_bytes()
        };
        for port in [Some(self.tcp), self.tcp6].into_iter().flatten() {
            let host = if Some(port) == self.tcp6 {
                "::1"
            } else {
                "127.0.0.1"
            };
            let mut stream = TcpStream::connect((host, port)).expect("the own listener");
            stream.write_all(&letter()).expect("a letter");
        }
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
        socket
            .send_to(&letter(), ("127.0.0.1", self.udp))
            .expect("a letter");
        let name = SocketAddr::from_abstract_name(&self.names[0]).expect("a name");
        let mut stream = UnixStream::connect_addr(&name).expect("the own listener");
        stream.write_all(&letter()).expect("a letter");
        drop(stream);
        let name = SocketAddr::from_abstract_name(&self.names[1]).expect("a name");
        let socket = UnixDatagram::unbound().expect("a socket");
        socket.send_to_addr(&letter(), &name).expect("a letter");
        for path in unix.iter().chain([&self.path]) {
            if let Ok(mut stream) = UnixStream::connect(path) {
                stream.write_all(&letter()).expect("a letter");
            } else {
                socket.send_to(&letter(), path).expect("a letter");
            }
        }
        for letter in &letters {
            assert!(
                self.received.wait_for(letter, PATIENCE),
                "a listener of the test is deaf"
            );
        }
        self.received.wait_for(text, Duration::ZERO)
    }
}
