helve::include_skills!("skills/description_required");

fn main() {}
