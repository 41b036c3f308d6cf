//! What tools reach through the doors: hosts, HTTP, stored values, secrets, attachments and programs.

mod addresses;
mod doors;
mod hosts;
mod http;
mod http_redirects;
mod key_value;
mod names;
mod proxy;
mod proxy_tls;
mod server;
