helve::include_skills!("skills/front_matter_missing");

fn main() {}
