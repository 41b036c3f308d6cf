//! helve against other people's MCP programs.

pub mod peers;
