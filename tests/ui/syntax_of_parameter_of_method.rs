use helve::prelude::*;

struct Stations;

#[tools]
impl Stations {
    /// Counts stations.
    #[tool]
    async fn count(
        &self,
        /// The city.
        city: ,
    ) -> u32 {
        1
    }
}

fn main() {
    let _ = Stations;
}
