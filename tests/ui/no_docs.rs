use helve::prelude::*;

#[tool]
async fn now() -> String {
    "noon".into()
}

fn main() {
    let _ = now();
}
