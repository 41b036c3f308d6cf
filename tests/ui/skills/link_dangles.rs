helve::include_skills!("skills/link_dangles");

fn main() {}
