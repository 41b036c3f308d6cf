//! helve against other people's programs: each test says in one line where these are not installed.

mod client_peers;
mod conformance_client;
mod conformance_server;
mod real_tools;
mod server_peers;
