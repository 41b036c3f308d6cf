use helve::prelude::*;

#[data]
#[derive(Debug, helve::__private::serde::Serialize)]
#[serde(crate = "helve::__private::serde")]
struct Time {
    hour: u8,
}

fn main() {
    let _ = Time { hour: 12 };
}
