//! Says what is embedded, and how the folder has changed since.

helve::include_skills!("skills");

fn main() {
    for set in helve::skill::SkillSet::linked() {
        for skill in set.skills() {
            for file in skill.files() {
                println!("{}/{} {}", skill.name(), file.path(), file.size());
            }
        }
        for drift in set.drift() {
            println!("{drift}");
        }
    }
}
