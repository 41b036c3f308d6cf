//! A list to choose from, with the arrow keys, by number, or with a text of one's own.

use std::io::Write as _;

use super::input::Lines;
use super::keys::{PressedKey, QuestionKeys};
use crate::screen::{Colors, Line, NoEcho, Region, Size, theme};

/// What was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Chosen {
    /// The places of choices, and a text that is none of them.
    Answer(Vec<usize>, Option<String>),
    Skipped,
    Declined,
    /// The input has ended.
    Closed,
}

/// The list, as far as it is answered.
#[derive(Debug, Default)]
pub(super) struct ChoiceList {
    choices: Vec<String>,
    takes_many: bool,
    takes_text: bool,
    /// The row of the cursor; the text has the row after the last choice.
    cursor: usize,
    marked: Vec<usize>,
    typed: String,
}

/// The lines of the list on the screen, which are cleared when this value is dropped.
struct LiveRegion(Region);

impl ChoiceList {
    pub(super) fn new(choices: Vec<String>, takes_many: bool, takes_text: bool) -> Self {
        Self {
            choices,
            takes_many,
            takes_text,
            ..Self::default()
        }
    }

    /// Shows the list below what was printed, until it is answered; `None` if the terminal does not give single keys.
    pub(super) async fn ask(mut self, lines: &mut Lines<'_>) -> Option<Chosen> {
        let _no_echo = NoEcho::enable(true)?;
        let mut region = LiveRegion(Region::new(Colors::of_stdout()));
        let mut keys = QuestionKeys::new(lines);
        loop {
            region.draw(&self.render());
            match keys.next().await {
                None => return Some(Chosen::Closed),
                Some(key) => {
                    if let Some(chosen) = self.press(key) {
                        return Some(chosen);
                    }
                }
            }
        }
    }

    /// Applies a key; returns the answer if it is complete.
    fn press(&mut self, key: PressedKey) -> Option<Chosen> {
        let in_text = self.cursor == self.choices.len();
        match key {
            PressedKey::Up => self.cursor = self.cursor.saturating_sub(1),
            PressedKey::Down | PressedKey::Tab => {
                let last = self.choices.len() - usize::from(!self.takes_text);
                self.cursor = (self.cursor + 1).min(last);
            }
            PressedKey::Char(' ') if self.takes_many && !in_text => self.mark(self.cursor),
            PressedKey::Char(c) => match self.place_of(c).filter(|_| !in_text) {
                Some(place) if self.takes_many => self.mark(place),
                Some(place) => return Some(Chosen::Answer(vec![place], None)),
                None if self.takes_text => {
                    self.cursor = self.choices.len();
                    self.typed.push(c);
                }
                None => {}
            },
            PressedKey::Backspace => {
                self.typed.pop();
            }
            PressedKey::DeleteWord | PressedKey::DeleteLine => self.typed.clear(),
            PressedKey::Enter | PressedKey::NewLine => return self.answer(in_text),
            PressedKey::Escape => return Some(Chosen::Skipped),
            PressedKey::EndOfInput => return Some(Chosen::Declined),
        }
        None
    }

    /// Returns the place of the choice that a digit names.
    fn place_of(&self, digit: char) -> Option<usize> {
        let number = usize::try_from(digit.to_digit(10)?).ok()?;
        number.checked_sub(1).filter(|at| *at < self.choices.len())
    }

    fn mark(&mut self, place: usize) {
        self.cursor = place;
        match self.marked.iter().position(|marked| *marked == place) {
            Some(at) => {
                self.marked.remove(at);
            }
            None => self.marked.push(place),
        }
    }

    fn answer(&self, in_text: bool) -> Option<Chosen> {
        let typed = self.typed.trim();
        let text = (!typed.is_empty()).then(|| typed.to_owned());
        if !self.takes_many {
            return match in_text {
                true => text.map(|text| Chosen::Answer(Vec::new(), Some(text))),
                false => Some(Chosen::Answer(vec![self.cursor], None)),
            };
        }
        let mut places = self.marked.clone();
        places.sort_unstable();
        if places.is_empty() && text.is_none() {
            // Without a mark, Enter takes the row of the cursor.
            places.extend((!in_text).then_some(self.cursor));
        }
        (!places.is_empty() || text.is_some()).then_some(Chosen::Answer(places, text))
    }

    fn render(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        for (place, choice) in self.choices.iter().enumerate() {
            let mut line = self.row_start(place);
            if self.takes_many {
                let mark = match self.marked.contains(&place) {
                    true => "[x] ",
                    false => "[ ] ",
                };
                line.push(mark, theme::PLAIN);
            }
            line.push(&format!("{} ", place + 1), theme::DIM);
            line.push(choice, self.row_style(place));
            lines.push(line);
        }
        let text_row = self.choices.len();
        if self.takes_text {
            let mut line = self.row_start(text_row);
            line.push("Other: ", theme::DIM);
            line.push(&self.typed, self.row_style(text_row));
            lines.push(line);
        }
        let keys = match self.takes_many {
            true => "  ↑↓ move · Space mark · Enter answer · Esc skip · Ctrl-D decline",
            false => "  ↑↓ move · Enter answer · Esc skip · Ctrl-D decline",
        };
        let columns = Size::of_stdout().columns - 1;
        lines.extend(Line::styled(keys, theme::DIM).wrap_hanging(columns, 2));
        lines
    }

    fn row_start(&self, row: usize) -> Line {
        match row == self.cursor {
            true => Line::styled("  › ", theme::QUESTION),
            false => Line::styled("    ", theme::PLAIN),
        }
    }

    fn row_style(&self, row: usize) -> anstyle::Style {
        match row == self.cursor {
            true => theme::STRONG,
            false => theme::PLAIN,
        }
    }
}

impl LiveRegion {
    fn draw(&mut self, live: &[Line]) {
        let out = self.0.draw(&[], live, Size::of_stdout());
        let mut stdout = std::io::stdout().lock();
        let _ = stdout
            .write_all(out.as_bytes())
            .and_then(|()| stdout.flush());
    }
}

impl Drop for LiveRegion {
    fn drop(&mut self) {
        self.draw(&[]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(list: &mut ChoiceList, keys: &[PressedKey]) -> Option<Chosen> {
        keys.iter().find_map(|key| list.press(*key))
    }

    fn list(takes_many: bool, takes_text: bool) -> ChoiceList {
        let choices = ["a", "b", "c"].map(str::to_owned).to_vec();
        ChoiceList::new(choices, takes_many, takes_text)
    }

    #[test]
    fn one_is_chosen_by_arrows_and_by_number() {
        use PressedKey::{Char, Down, Enter, Up};
        let answer = |places: &[usize]| Some(Chosen::Answer(places.to_vec(), None));
        let mut one = list(false, false);
        assert_eq!(
            press(&mut one, &[Down, Down, Down, Up, Enter]),
            answer(&[1])
        );
        assert_eq!(press(&mut list(false, false), &[Char('3')]), answer(&[2]));
        assert_eq!(
            press(&mut list(false, false), &[Char('4'), Char('x')]),
            None
        );
        assert_eq!(
            press(&mut list(false, false), &[PressedKey::Escape]),
            Some(Chosen::Skipped)
        );
    }

    #[test]
    fn many_are_marked_and_a_text_is_typed() {
        use PressedKey::{Backspace, Char, Down, Enter};
        let mut many = list(true, true);
        let keys = [Char('3'), Char('3'), Char('1'), Down, Char(' '), Enter];
        let answer = Chosen::Answer(vec![0, 1], None);
        assert_eq!(press(&mut many, &keys), Some(answer));
        let typed = [Char('o'), Char('k'), Char('2'), Backspace, Enter];
        let answer = Chosen::Answer(Vec::new(), Some("ok".to_owned()));
        assert_eq!(press(&mut list(false, true), &typed), Some(answer.clone()));
        assert_eq!(press(&mut list(true, true), &typed), Some(answer));
        // Nothing is typed where the cursor is on the text.
        let nothing = [Down, Down, Down, Enter];
        assert_eq!(press(&mut list(false, true), &nothing), None);
    }
}
