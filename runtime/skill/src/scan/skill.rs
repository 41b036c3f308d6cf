//! Scans all files of a skill.

use super::{ScanFinding, scan};

/// The greatest size of one skill that is scanned, in bytes.
const MAX_BYTES: u64 = 8 << 20;

/// Scans every text file of a skill, up to a limit. Files that were not scanned are findings. A file
/// that has changed since it was described is not scanned.
pub fn scan_skill(skill: &helve_skill_format::Skill) -> Vec<ScanFinding> {
    let mut findings = Vec::new();
    let mut room = MAX_BYTES;
    for file in skill.files.iter().filter(|file| file.utf8 == Some(true)) {
        room = room.saturating_sub(file.size);
        if room == 0 {
            findings.push(ScanFinding::too_long(&file.path));
            break;
        }
        if file.path == skill.manifest {
            findings.extend(scan(&file.path, &skill.source));
            continue;
        }
        let text = file.inspect().ok();
        let text = text.filter(|(now, _)| now.sha256 == file.sha256);
        let text = text.and_then(|(_, bytes)| String::from_utf8(bytes).ok());
        match text {
            Some(text) => findings.extend(scan(&file.path, &text)),
            None => findings.push(ScanFinding::unreadable(&file.path)),
        }
    }
    findings
}
