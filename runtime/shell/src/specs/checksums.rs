//! Programs that print checksums.

use super::table::{OperandSpec, Spec, harmless, text};
use OperandSpec::Files;

const SUM: &[&str] = &[
    "binary",
    "check",
    "help",
    "ignore-missing",
    "quiet",
    "status",
    "strict",
    "tag",
    "text",
    "version",
    "warn",
    "zero",
];

/// A program that prints checksums. `-c` opens the files that its operand names, and shows nothing of them but whether
/// they are what they were.
const fn sum(name: &'static str) -> Spec {
    Spec {
        flags: "bctwz",
        long: SUM,
        ..harmless(name, Files)
    }
}

/// Sorted by name.
pub(crate) static TABLE: &[Spec] = &[
    Spec {
        flags: "bctwz",
        long: SUM,
        options: &[text('l', "length", "256")],
        ..harmless("b2sum", Files)
    },
    Spec {
        flags: "cwz",
        long: &[
            "check",
            "debug",
            "help",
            "ignore-missing",
            "quiet",
            "status",
            "strict",
            "tag",
            "untagged",
            "version",
            "warn",
            "zero",
        ],
        options: &[text('a', "algorithm", "md5"), text('l', "length", "256")],
        ..harmless("cksum", Files)
    },
    sum("md5sum"),
    sum("sha1sum"),
    sum("sha224sum"),
    sum("sha256sum"),
    sum("sha384sum"),
    sum("sha512sum"),
    Spec {
        flags: "rs",
        long: &["help", "sysv", "version"],
        ..harmless("sum", Files)
    },
];
