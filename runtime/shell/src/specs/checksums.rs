//! Programs that print checksums.

use super::table::{OperandSpec, Spec, harmless, text};
use OperandSpec::Files;

const SUM: &str = "binary check help ignore-missing quiet status strict tag text version warn zero";

/// Creates the spec of a program that prints checksums. `-c` opens the files that its operand lists, and only reveals
/// whether their checksums match.
const fn sum(name: &'static str) -> Spec {
    harmless(name, Files).flags("bctwz", SUM)
}

/// Sorted by name.
pub(crate) static TABLE: &[Spec] = &[
    harmless("b2sum", Files)
        .flags("bctwz", SUM)
        .options(&[text('l', "length", "256")]),
    harmless("cksum", Files)
        .flags(
            "cwz",
            "check debug help ignore-missing quiet status strict tag untagged version warn zero",
        )
        .options(&[text('a', "algorithm", "md5"), text('l', "length", "256")]),
    sum("md5sum"),
    sum("sha1sum"),
    sum("sha224sum"),
    sum("sha256sum"),
    sum("sha384sum"),
    sum("sha512sum"),
    harmless("sum", Files).flags("rs", "help sysv version"),
];
