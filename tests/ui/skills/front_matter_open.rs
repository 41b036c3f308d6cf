helve::include_skills!("skills/front_matter_open");

fn main() {}
