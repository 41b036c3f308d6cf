#[helve::data]
struct Order {
    /// How many.
    #[arg(default = "one")]
    count: u32,
}

fn main() {
    let _ = Order { count: 1 };
}
