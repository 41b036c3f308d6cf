use helve::prelude::*;

/// Says the time.
#[tool]
async fn what_time_is_it_now_in_the_city_where_the_person_who_asks_lives_in_it() -> String {
    "noon".into()
}

fn main() {}
