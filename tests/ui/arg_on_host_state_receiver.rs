use helve::prelude::*;

struct Stations(u32);

#[tools]
impl Stations {
    /// Counts stations.
    #[tool]
    async fn count(#[arg(description = "the stations")] &self) -> u32 {
        self.0
    }
}

fn main() {
    let _ = Stations(1).count();
}
