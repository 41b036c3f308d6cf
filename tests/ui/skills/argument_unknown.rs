helve::include_skills!("skills", strict = true);

fn main() {}
