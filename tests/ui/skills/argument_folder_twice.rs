helve::include_skills!("skills", "more-skills");

fn main() {}
