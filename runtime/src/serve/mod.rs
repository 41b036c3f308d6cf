//! The app as an MCP server: its tools, its skills and their files, for any client, under the same permission policy as
//! everywhere.
