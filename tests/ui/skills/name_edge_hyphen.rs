helve::include_skills!("skills/name_edge_hyphen");

fn main() {}
