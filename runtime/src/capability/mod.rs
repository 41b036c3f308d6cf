//! Stub.
/// r
#[derive(Debug, thiserror::Error)] #[error("not granted")] pub struct Refusal;
/// r
#[derive(Debug, Clone, Copy, PartialEq, Eq)] pub struct Requires { /// c
pub fs: bool, /// c
pub net: bool, /// c
pub process: bool, /// c
pub kv: bool, /// c
pub secrets: &'static [&'static str] }
impl Requires { /// n
 pub const NONE: Self = Self { fs: false, net: false, process: false, kv: false, secrets: &[] }; }
