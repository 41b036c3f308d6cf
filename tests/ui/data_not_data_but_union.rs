use helve::prelude::*;

#[data]
union Number {
    whole: u32,
    broken: f32,
}

fn main() {
    let _ = Number { whole: 1 };
}
