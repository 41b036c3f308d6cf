helve::include_skills!("skills/not_utf8");

fn main() {}
