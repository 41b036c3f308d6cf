helve::include_skills!("skills/file_size");

fn main() {}
