helve::include_skills!("skills", exclude = "drafts/");

fn main() {}
