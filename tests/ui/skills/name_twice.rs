helve::include_skills!("skills/name_twice");

fn main() {}
