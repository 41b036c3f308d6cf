//! A browser, as far as a login needs one.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

/// Asks for an address; returns the head of the answer, and what it says.
pub(crate) fn get(address: &str) -> (String, String) {
    let place = address.strip_prefix("http://").expect("an address");
    let (host, path) = place.split_once('/').expect("a path");
    let mut stream = TcpStream::connect(host).expect("somebody listens");
    let request = format!("GET /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    let (head, text) = answer.split_once("\r\n\r\n").expect("a head");
    (head.to_owned(), text.to_owned())
}

/// Asks for an address, and goes where that sends it.
pub(crate) fn visit(address: &str) -> (String, String) {
    let mut address = address.to_owned();
    for _ in 0..5 {
        let (head, text) = get(&address);
        match head
            .lines()
            .find_map(|line| line.strip_prefix("location: "))
        {
            Some(next) => address = next.to_owned(),
            None => return (head, text),
        }
    }
    panic!("it is sent from one address to the next: {address}");
}
