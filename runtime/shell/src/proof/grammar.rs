//! Commands, pipelines, lists and what is made of them.

mod redirect;

use super::ast::{AndOr, Assignment, Command, Compound, List, Piece, Pipeline, Simple, Word};
use super::parser::{Parsed, Parser, RESERVED, is_meta, refuse};

const UNREADABLE: &str = "a part of it cannot be read";
/// How many commands a list may have.
const MOST_ITEMS: usize = 512;

/// A whole text.
pub(super) struct Script<'a> {
    pub(super) list: List<'a>,
    pub(super) documents: Vec<Word<'a>>,
    /// Whether a descriptor other than the input may be open on what is read.
    pub(super) opens_input: bool,
}

/// Reads a whole text.
pub(super) fn parse(text: &str) -> Parsed<Script<'_>> {
    let mut parser = Parser::new(text);
    let list = parser.list_or_nothing()?;
    if !parser.is_end() {
        return refuse(UNREADABLE);
    }
    if parser.waits() {
        return refuse("a here-document does not end");
    }
    Ok(Script {
        list,
        documents: parser.documents,
        opens_input: parser.opens_input,
    })
}

impl<'a> Parser<'a> {
    /// Reads commands up to what closes them; there has to be one.
    pub(super) fn list(&mut self) -> Parsed<List<'a>> {
        let list = self.list_or_nothing()?;
        if list.items.is_empty() {
            return refuse("a command is missing");
        }
        Ok(list)
    }

    fn list_or_nothing(&mut self) -> Parsed<List<'a>> {
        let mut list = List::default();
        loop {
            let lines = self.lines;
            self.lines()?;
            let begins_line = self.lines > lines;
            if self.is_end() || self.byte(0) == b')' || self.rest().starts_with(";;") {
                return Ok(list);
            }
            let closes = matches!(
                self.keyword(),
                Some("then" | "else" | "elif" | "fi" | "do" | "done" | "esac" | "}")
            );
            if closes {
                return Ok(list);
            }
            list.items.push(self.and_or(begins_line)?);
            if list.items.len() > MOST_ITEMS {
                return refuse("it has too many commands");
            }
            self.blanks()?;
            match (self.byte(0), self.byte(1)) {
                (b';', b';') | (b')' | b'\n', _) => {}
                (b';', b'&') => return refuse(UNREADABLE),
                (b';', _) => self.at += 1,
                (b'&', _) => return refuse("a command goes on in the background"),
                _ if self.is_end() => {}
                _ => return refuse(UNREADABLE),
            }
        }
    }

    fn and_or(&mut self, begins_line: bool) -> Parsed<AndOr<'a>> {
        let first = self.pipeline()?;
        let mut conditional = Vec::new();
        loop {
            self.blanks()?;
            if !self.eat("&&") && !self.eat("||") {
                return Ok(AndOr {
                    first,
                    begins_line,
                    conditional,
                });
            }
            self.lines()?;
            conditional.push(self.pipeline()?);
            if conditional.len() > MOST_ITEMS {
                return refuse("it has too many commands");
            }
        }
    }

    fn pipeline(&mut self) -> Parsed<Pipeline<'a>> {
        if self.eat_keyword("!") {
            self.blanks()?;
        }
        if self.eat_keyword("time") {
            self.blanks()?;
            if self.rest().starts_with("-p") && is_meta(self.byte(2)) {
                self.at += 2;
                self.blanks()?;
            }
            if self.byte(0) == b'-' {
                return refuse(UNREADABLE);
            }
        }
        let mut commands = vec![self.command()?];
        loop {
            self.blanks()?;
            if self.rest().starts_with("||") || !self.eat("|") {
                return Ok(Pipeline { commands });
            }
            self.eat("&");
            self.lines()?;
            commands.push(self.command()?);
            if commands.len() > MOST_ITEMS {
                return refuse("it has too many commands");
            }
        }
    }

    fn command(&mut self) -> Parsed<Command<'a>> {
        if self.byte(0) == b'(' {
            self.no_joined_line()?;
            if self.byte(1) == b'(' {
                return refuse("it has an expression that may set something or run something");
            }
            let body = self.nested(|parser| {
                parser.at += 1;
                let list = parser.list()?;
                parser.expect(")")?;
                Ok(Compound::Subshell(list))
            })?;
            return self.redirected(body);
        }
        let Some(keyword) = self.keyword() else {
            return Ok(Command::Simple(self.simple()?));
        };
        let body = self.nested(|parser| parser.compound(keyword))?;
        self.redirected(body)
    }

    fn redirected(&mut self, body: Compound<'a>) -> Parsed<Command<'a>> {
        let mut redirects = Vec::new();
        loop {
            self.blanks()?;
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => return Ok(Command::Compound(body, redirects)),
            }
        }
    }

    fn compound(&mut self, keyword: &'static str) -> Parsed<Compound<'a>> {
        self.at += keyword.len();
        Ok(match keyword {
            "{" => {
                let list = self.list()?;
                self.expect_keyword("}")?;
                Compound::Group(list)
            }
            "while" | "until" => {
                let condition = self.list()?;
                let body = self.body()?;
                Compound::While { condition, body }
            }
            "if" => self.branches()?,
            "for" => self.for_loop()?,
            "case" => self.case()?,
            "[[" => Compound::Test(self.test()?),
            "function" => {
                return refuse("it has a function definition: what runs cannot be read off it");
            }
            _ => return refuse(UNREADABLE),
        })
    }

    /// `do …; done`
    pub(super) fn body(&mut self) -> Parsed<List<'a>> {
        self.expect_keyword("do")?;
        let list = self.list()?;
        self.expect_keyword("done")?;
        Ok(list)
    }

    fn branches(&mut self) -> Parsed<Compound<'a>> {
        let mut branches = Vec::new();
        loop {
            let condition = self.list()?;
            self.expect_keyword("then")?;
            branches.push((condition, self.list()?));
            if !self.eat_keyword("elif") {
                break;
            }
        }
        let otherwise = if self.eat_keyword("else") {
            Some(self.list()?)
        } else {
            None
        };
        self.expect_keyword("fi")?;
        Ok(Compound::If {
            branches,
            otherwise,
        })
    }

    fn for_loop(&mut self) -> Parsed<Compound<'a>> {
        self.blanks()?;
        if self.byte(0) == b'(' {
            return self.counting();
        }
        let name = self.name();
        if name.is_empty() || !is_meta(self.byte(0)) {
            return refuse(UNREADABLE);
        }
        self.lines()?;
        self.expect_keyword("in")?;
        let mut words = Vec::new();
        loop {
            self.blanks()?;
            match self.word()? {
                Some(word) => words.push(word),
                None => break,
            }
            if words.len() > MOST_ITEMS {
                return refuse("it has too many words");
            }
        }
        match self.byte(0) {
            b';' => self.at += 1,
            b'\n' => {}
            _ => return refuse(UNREADABLE),
        }
        self.lines()?;
        let body = self.body()?;
        Ok(Compound::For { name, words, body })
    }

    fn case(&mut self) -> Parsed<Compound<'a>> {
        self.blanks()?;
        let word = self.some_word()?;
        self.lines()?;
        self.expect_keyword("in")?;
        let mut arms = Vec::new();
        loop {
            self.lines()?;
            if self.eat_keyword("esac") {
                return Ok(Compound::Case { word, arms });
            }
            self.eat("(");
            let mut patterns = Vec::new();
            loop {
                self.blanks()?;
                patterns.push(self.some_word()?);
                self.blanks()?;
                if !self.eat("|") {
                    break;
                }
            }
            self.expect(")")?;
            let list = self.list_or_nothing()?;
            arms.push((patterns, list));
            if arms.len() > MOST_ITEMS {
                return refuse("it has too many commands");
            }
            self.lines()?;
            if self.eat(";;") {
                if self.byte(0) == b'&' {
                    return refuse(UNREADABLE);
                }
                continue;
            }
            self.expect_keyword("esac")?;
            return Ok(Compound::Case { word, arms });
        }
    }

    /// The words between `[[` and `]]`, each with whether it is evaluated as a number.
    fn test(&mut self) -> Parsed<Vec<(Word<'a>, bool)>> {
        let mut operands = Vec::new();
        let mut groups = 0_usize;
        loop {
            self.lines()?;
            if groups == 0 && self.eat_keyword("]]") {
                return Ok(operands);
            }
            if self.eat("&&") || self.eat("||") || self.eat_keyword("!") {
                continue;
            }
            if self.byte(0) == b'(' {
                self.no_joined_line()?;
            }
            if self.eat("(") {
                groups += 1;
                if self.byte(0) == b'(' {
                    return refuse("it has an expression that may set something or run something");
                }
                continue;
            }
            if groups > 0 && self.eat(")") {
                groups -= 1;
                continue;
            }
            self.primary(&mut operands)?;
            if operands.len() > MOST_ITEMS {
                return refuse("it has too many words");
            }
        }
    }

    /// `-f FILE`, `A = B`, `A`
    fn primary(&mut self, operands: &mut Vec<(Word<'a>, bool)>) -> Parsed<()> {
        let first = self.some_word()?;
        self.blanks()?;
        if let Some(operator) = first.plain().filter(|text| text.starts_with('-')) {
            const UNARY: [&str; 18] = [
                "-a", "-b", "-c", "-d", "-e", "-f", "-g", "-h", "-k", "-p", "-r", "-s", "-u", "-w",
                "-x", "-z", "-n", "-L",
            ];
            if !UNARY.contains(&operator) {
                return refuse("it has a test that cannot be read");
            }
            operands.push((self.some_word()?, false));
            return Ok(());
        }
        if self.eat("<") || self.eat(">") {
            self.blanks()?;
            operands.push((first, false));
            operands.push((self.some_word()?, false));
            return Ok(());
        }
        if is_meta(self.byte(0)) || self.keyword() == Some("]]") {
            operands.push((first, false));
            return Ok(());
        }
        let operator = self.some_word()?;
        let is_number = match (operator.plain(), &*operator.pieces) {
            (Some("=" | "==" | "!=" | "-nt" | "-ot" | "-ef"), _)
            | (_, [Piece::Plain("="), Piece::Plain("~")]) => false,
            (Some("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge"), _) => true,
            _ => return refuse("it has a test that cannot be read"),
        };
        self.blanks()?;
        operands.push((first, is_number));
        operands.push((self.some_word()?, is_number));
        Ok(())
    }

    fn simple(&mut self) -> Parsed<Simple<'a>> {
        let begun = self.at;
        let mut simple = Simple {
            span: begun..begun,
            assignments: Vec::new(),
            words: Vec::new(),
            redirects: Vec::new(),
        };
        loop {
            let before = self.at;
            self.blanks()?;
            if self.at > before && self.begins_process() {
                simple.words.push(self.process()?);
            } else if let Some(redirect) = self.redirect()? {
                simple.redirects.push(redirect);
            } else if simple.words.is_empty()
                && let Some(assignment) = self.assignment()?
            {
                simple.assignments.push(assignment);
            } else if let Some(word) = self.word()? {
                let is_reserved = simple.words.is_empty()
                    && word.plain().is_some_and(|text| RESERVED.contains(&text));
                if is_reserved || matches!(&*word.pieces, [Piece::Brace(_)]) {
                    return refuse(UNREADABLE);
                }
                simple.words.push(word);
            } else {
                break;
            }
            simple.span.end = self.at;
            if simple.words.len() > 4096 || simple.assignments.len() > MOST_ITEMS {
                return refuse("it has too many words");
            }
        }
        if simple.span.is_empty() {
            return refuse("a command is missing");
        }
        Ok(simple)
    }

    fn assignment(&mut self) -> Parsed<Option<Assignment<'a>>> {
        let begun = self.at;
        let name = self.name();
        if !name.is_empty() && self.byte(0) == b'[' {
            return refuse("it sets an element of an array, whose subscript may run something");
        }
        let is_added = self.rest().starts_with("+=");
        if name.is_empty() || !is_added && self.byte(0) != b'=' {
            self.at = begun;
            return Ok(None);
        }
        self.at += if is_added { 2 } else { 1 };
        let value = self.value()?;
        if value.has_braces() {
            return refuse("a value has braces");
        }
        Ok(Some(Assignment {
            name,
            value,
            is_added,
        }))
    }
}
