helve::include_skills!("skills/not_a_folder/skills.md");

fn main() {}
