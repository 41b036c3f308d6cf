helve::include_skills!("skills/compatibility_empty");

fn main() {}
