//! `#[data]` has two keys.

#[helve::data(allow_unkown)]
struct Reading {
    celsius: f64,
}

fn main() {}
