helve::include_skills!("skills/tag");

fn main() {}
