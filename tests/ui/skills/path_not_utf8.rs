helve::include_skills!("skills/path_not_utf8");

fn main() {}
