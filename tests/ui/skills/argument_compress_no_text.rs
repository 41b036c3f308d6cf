helve::include_skills!("skills", compress = true);

fn main() {}
