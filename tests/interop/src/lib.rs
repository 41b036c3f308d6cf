//! helve against other people's MCP programs.
