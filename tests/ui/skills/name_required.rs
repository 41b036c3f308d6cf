helve::include_skills!("skills/name_required");

fn main() {}
