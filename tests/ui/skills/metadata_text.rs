helve::include_skills!("skills/metadata_text");

fn main() {}
