//! What tools reach through the doors: hosts, HTTP, stored values, secrets, attachments and programs.

#![allow(
    unsafe_code,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "tests panic, and linkme blames its sections on the crate that declares the slice"
)]

// The tools of these tests are written with the public macro, whose expansion says `::helve::…`.
mod addresses;
mod credentials;
mod grants;
mod hosts;
mod http;
mod http_redirects;
mod key_value;
mod names;
mod programs;
mod proxy;
mod proxy_ports;
mod proxy_tls;
pub(crate) mod server;
mod tools;
