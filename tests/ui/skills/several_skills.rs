helve::include_skills!("skills/several_skills");

fn main() {}
