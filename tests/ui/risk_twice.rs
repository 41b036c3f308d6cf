use helve::prelude::*;

fn judge() -> helve::Risk {
    helve::Risk::Low
}

/// Says the time.
#[tool(risk = "low", risk_with = judge)]
async fn now() -> String {
    "noon".into()
}

fn main() {
    judge();
}
