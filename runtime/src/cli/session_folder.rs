//! Where an app keeps its sessions.
