helve::include_skills!("skills/invalid_yaml");

fn main() {}
