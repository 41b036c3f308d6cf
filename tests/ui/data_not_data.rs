use helve::prelude::*;

#[data]
fn now() -> String {
    "noon".into()
}

fn main() {
    now();
}
