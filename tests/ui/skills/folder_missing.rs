helve::include_skills!("skills/folder_missing");

fn main() {}
