use helve::prelude::*;

struct Opaque;

fn check(_: &ToolContext, _: &Opaque) -> helve::Check {
    helve::Check::Pass
}

/// Takes a secret.
#[tool(check = check)]
async fn take(
    /// The secret.
    secret: Opaque,
) {
    drop(secret);
}

fn main() {
    let _ = take(Opaque);
    check(&ToolContext::new(), &Opaque);
}
