helve::include_skills!("skills/link_cycle");

fn main() {}
