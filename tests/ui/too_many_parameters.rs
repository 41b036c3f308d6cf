use helve::prelude::*;

/// Adds numbers.
#[tool]
async fn sum(
    /// A number.
    a0: u8,
    /// A number.
    a1: u8,
    /// A number.
    a2: u8,
    /// A number.
    a3: u8,
    /// A number.
    a4: u8,
    /// A number.
    a5: u8,
    /// A number.
    a6: u8,
    /// A number.
    a7: u8,
    /// A number.
    a8: u8,
    /// A number.
    a9: u8,
    /// A number.
    a10: u8,
    /// A number.
    a11: u8,
    /// A number.
    a12: u8,
    /// A number.
    a13: u8,
    /// A number.
    a14: u8,
    /// A number.
    a15: u8,
    /// A number.
    a16: u8,
    /// A number.
    a17: u8,
    /// A number.
    a18: u8,
    /// A number.
    a19: u8,
    /// A number.
    a20: u8,
    /// A number.
    a21: u8,
    /// A number.
    a22: u8,
    /// A number.
    a23: u8,
    /// A number.
    a24: u8,
    /// A number.
    a25: u8,
    /// A number.
    a26: u8,
    /// A number.
    a27: u8,
    /// A number.
    a28: u8,
    /// A number.
    a29: u8,
    /// A number.
    a30: u8,
    /// A number.
    a31: u8,
    /// A number.
    a32: u8,
    /// A number.
    a33: u8,
    /// A number.
    a34: u8,
    /// A number.
    a35: u8,
    /// A number.
    a36: u8,
    /// A number.
    a37: u8,
    /// A number.
    a38: u8,
    /// A number.
    a39: u8,
    /// A number.
    a40: u8,
    /// A number.
    a41: u8,
    /// A number.
    a42: u8,
    /// A number.
    a43: u8,
    /// A number.
    a44: u8,
    /// A number.
    a45: u8,
    /// A number.
    a46: u8,
    /// A number.
    a47: u8,
    /// A number.
    a48: u8,
    /// A number.
    a49: u8,
    /// A number.
    a50: u8,
    /// A number.
    a51: u8,
    /// A number.
    a52: u8,
    /// A number.
    a53: u8,
    /// A number.
    a54: u8,
    /// A number.
    a55: u8,
    /// A number.
    a56: u8,
    /// A number.
    a57: u8,
    /// A number.
    a58: u8,
    /// A number.
    a59: u8,
    /// A number.
    a60: u8,
    /// A number.
    a61: u8,
    /// A number.
    a62: u8,
    /// A number.
    a63: u8,
    /// A number.
    a64: u8,
) -> u8 {
    [
        a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19,
        a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37,
        a38, a39, a40, a41, a42, a43, a44, a45, a46, a47, a48, a49, a50, a51, a52, a53, a54, a55,
        a56, a57, a58, a59, a60, a61, a62, a63, a64,
    ]
    .iter()
    .sum()
}

fn main() {}
