helve::include_skills!("skills", profile = "strict");

fn main() {}
