helve::include_skills!("skills/duplicate_key");

fn main() {}
