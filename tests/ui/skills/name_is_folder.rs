helve::include_skills!("skills/name_is_folder");

fn main() {}
