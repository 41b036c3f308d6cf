helve::include_skills!("skills/exclude_pattern", exclude = ["drafts/[a"]);

fn main() {}
