#[helve::data]
struct Order {
    /// How many.
    #[arg(minimum = 1)]
    count: u32,
}

fn main() {
    let _ = Order { count: 1 };
}
