helve::include_skills!("skills/name_characters");

fn main() {}
