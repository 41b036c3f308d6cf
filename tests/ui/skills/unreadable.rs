helve::include_skills!("skills/unreadable");

fn main() {}
