//! Bounds that the driver keeps, calls side by side, interrupts, dry runs, untrusted text.
