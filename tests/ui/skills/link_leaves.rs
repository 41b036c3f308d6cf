helve::include_skills!("skills/link_leaves");

fn main() {}
