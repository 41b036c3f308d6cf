helve::include_skills!("skills/description_empty");

fn main() {}
