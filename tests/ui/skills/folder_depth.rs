helve::include_skills!("skills/folder_depth");

fn main() {}
