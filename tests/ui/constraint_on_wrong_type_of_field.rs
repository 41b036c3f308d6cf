#[helve::data]
enum Delivery {
    /// To a door.
    Door {
        #[arg(min = 1)]
        street: String,
    },
}

fn main() {
    let _ = Delivery::Door { street: "a".into() };
}
