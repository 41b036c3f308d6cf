helve::include_skills!("skills/name_empty");

fn main() {}
