helve::include_skills!("skills/no_skills");

fn main() {}
