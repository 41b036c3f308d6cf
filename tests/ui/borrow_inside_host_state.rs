use helve::prelude::*;

struct View<'a>(&'a str);

/// Shows what is there.
#[tool]
async fn show<'a>(view: &View<'a>) -> String {
    view.0.to_owned()
}

fn main() {
    let _ = show(&View("a"));
}
