helve::include_skills!("skills", exclude = ["drafts/", 42]);

fn main() {}
