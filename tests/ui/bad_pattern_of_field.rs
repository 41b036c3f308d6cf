#[helve::data]
struct Order {
    /// The article.
    #[arg(pattern = "[a-z")]
    article: String,
}

fn main() {
    let _ = Order { article: "a".into() };
}
