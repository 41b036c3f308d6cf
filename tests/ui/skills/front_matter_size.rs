helve::include_skills!("skills/front_matter_size");

fn main() {}
