//! The grammar of commands, pipelines, lists and compound commands.

mod redirect;

use super::ast::{
    AndOr, AssignmentNode, CommandList, CommandNode, CompoundNode, Pipeline, SimpleNode, WordNode,
    WordPiece,
};
use super::parser::{Parser, ProofResult, RESERVED, fail, is_meta};

const UNREADABLE: &str = "a part of it cannot be read";
/// The maximum number of commands in a list.
const MAX_ITEMS: usize = 512;

/// The syntax tree of a whole text.
pub(super) struct ScriptNode<'a> {
    pub(super) list: CommandList<'a>,
    pub(super) documents: Vec<WordNode<'a>>,
    /// Whether a descriptor other than the standard input may be open on an input file.
    pub(super) opens_input: bool,
}

/// Parses a whole text.
pub(super) fn parse(text: &str) -> ProofResult<ScriptNode<'_>> {
    let mut parser = Parser::new(text);
    let list = parser.list_or_nothing()?;
    if !parser.is_end() {
        return fail(UNREADABLE);
    }
    if parser.has_pending_heredoc() {
        return fail("a here-document does not end");
    }
    Ok(ScriptNode {
        list,
        documents: parser.documents,
        opens_input: parser.opens_input,
    })
}

impl<'a> Parser<'a> {
    /// Parses commands up to the closing token; at least one command is required.
    pub(super) fn list(&mut self) -> ProofResult<CommandList<'a>> {
        let list = self.list_or_nothing()?;
        if list.items.is_empty() {
            return fail("a command is missing");
        }
        Ok(list)
    }

    fn list_or_nothing(&mut self) -> ProofResult<CommandList<'a>> {
        let mut list = CommandList::default();
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
            if list.items.len() > MAX_ITEMS {
                return fail("it has too many commands");
            }
            self.blanks()?;
            match (self.byte(0), self.byte(1)) {
                (b';', b';') | (b')' | b'\n', _) => {}
                (b';', b'&') => return fail(UNREADABLE),
                (b';', _) => self.at += 1,
                (b'&', _) => return fail("a command goes on in the background"),
                _ if self.is_end() => {}
                _ => return fail(UNREADABLE),
            }
        }
    }

    fn and_or(&mut self, begins_line: bool) -> ProofResult<AndOr<'a>> {
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
            if conditional.len() > MAX_ITEMS {
                return fail("it has too many commands");
            }
        }
    }

    fn pipeline(&mut self) -> ProofResult<Pipeline<'a>> {
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
                return fail(UNREADABLE);
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
            if commands.len() > MAX_ITEMS {
                return fail("it has too many commands");
            }
        }
    }

    fn command(&mut self) -> ProofResult<CommandNode<'a>> {
        if self.byte(0) == b'(' {
            self.no_joined_line()?;
            if self.byte(1) == b'(' {
                return fail("it has an expression that may set something or run something");
            }
            let body = self.nested(|parser| {
                parser.at += 1;
                let list = parser.list()?;
                parser.expect(")")?;
                Ok(CompoundNode::Subshell(list))
            })?;
            return self.parse_redirected(body);
        }
        let Some(keyword) = self.keyword() else {
            return Ok(CommandNode::Simple(self.simple()?));
        };
        let body = self.nested(|parser| parser.compound(keyword))?;
        self.parse_redirected(body)
    }

    fn parse_redirected(&mut self, body: CompoundNode<'a>) -> ProofResult<CommandNode<'a>> {
        let mut redirects = Vec::new();
        self.blanks()?;
        while let Some(redirect) = self.redirect()? {
            redirects.push(redirect);
            self.blanks()?;
        }
        Ok(CommandNode::Compound(body, redirects))
    }

    fn compound(&mut self, keyword: &'static str) -> ProofResult<CompoundNode<'a>> {
        self.at += keyword.len();
        Ok(match keyword {
            "{" => {
                let list = self.list()?;
                self.expect_keyword("}")?;
                CompoundNode::Group(list)
            }
            "while" | "until" => {
                let condition = self.list()?;
                let body = self.body()?;
                CompoundNode::While { condition, body }
            }
            "if" => self.branches()?,
            "for" => self.for_loop()?,
            "case" => self.case()?,
            "[[" => CompoundNode::Test(self.test()?),
            "function" => {
                return fail("it has a function definition: what runs cannot be read off it");
            }
            _ => return fail(UNREADABLE),
        })
    }

    /// Parses `do …; done`.
    pub(super) fn body(&mut self) -> ProofResult<CommandList<'a>> {
        self.expect_keyword("do")?;
        let list = self.list()?;
        self.expect_keyword("done")?;
        Ok(list)
    }

    fn branches(&mut self) -> ProofResult<CompoundNode<'a>> {
        let mut branches = Vec::new();
        loop {
            let condition = self.list()?;
            self.expect_keyword("then")?;
            branches.push((condition, self.list()?));
            if !self.eat_keyword("elif") {
                break;
            }
        }
        let has_else = self.eat_keyword("else");
        let otherwise = has_else.then(|| self.list()).transpose()?;
        self.expect_keyword("fi")?;
        Ok(CompoundNode::If {
            branches,
            otherwise,
        })
    }

    fn for_loop(&mut self) -> ProofResult<CompoundNode<'a>> {
        self.blanks()?;
        if self.byte(0) == b'(' {
            return self.counting();
        }
        let name = self.name();
        if name.is_empty() || !is_meta(self.byte(0)) {
            return fail(UNREADABLE);
        }
        self.lines()?;
        self.expect_keyword("in")?;
        let mut words = Vec::new();
        self.blanks()?;
        while let Some(word) = self.word()? {
            words.push(word);
            if words.len() > MAX_ITEMS {
                return fail("it has too many words");
            }
            self.blanks()?;
        }
        match self.byte(0) {
            b';' => self.at += 1,
            b'\n' => {}
            _ => return fail(UNREADABLE),
        }
        self.lines()?;
        let body = self.body()?;
        Ok(CompoundNode::For { name, words, body })
    }

    fn case(&mut self) -> ProofResult<CompoundNode<'a>> {
        self.blanks()?;
        let word = self.some_word()?;
        self.lines()?;
        self.expect_keyword("in")?;
        let mut arms = Vec::new();
        loop {
            self.lines()?;
            if self.eat_keyword("esac") {
                return Ok(CompoundNode::Case { word, arms });
            }
            self.eat("(");
            self.blanks()?;
            let mut patterns = vec![self.some_word()?];
            self.blanks()?;
            while self.eat("|") {
                self.blanks()?;
                patterns.push(self.some_word()?);
                self.blanks()?;
            }
            self.expect(")")?;
            arms.push((patterns, self.list_or_nothing()?));
            if arms.len() > MAX_ITEMS {
                return fail("it has too many commands");
            }
            self.lines()?;
            if self.eat(";;") {
                if self.byte(0) == b'&' {
                    return fail(UNREADABLE);
                }
                continue;
            }
            self.expect_keyword("esac")?;
            return Ok(CompoundNode::Case { word, arms });
        }
    }

    /// Parses the words between `[[` and `]]`, each with whether it is evaluated as a number.
    fn test(&mut self) -> ProofResult<Vec<(WordNode<'a>, bool)>> {
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
                    return fail("it has an expression that may set something or run something");
                }
                continue;
            }
            if groups > 0 && self.eat(")") {
                groups -= 1;
                continue;
            }
            self.primary(&mut operands)?;
            if operands.len() > MAX_ITEMS {
                return fail("it has too many words");
            }
        }
    }

    /// Parses `-f FILE`, `A = B` or `A`.
    fn primary(&mut self, operands: &mut Vec<(WordNode<'a>, bool)>) -> ProofResult<()> {
        let first = self.some_word()?;
        self.blanks()?;
        if let Some(operator) = first.plain().filter(|text| text.starts_with('-')) {
            const UNARY: [&str; 18] = [
                "-a", "-b", "-c", "-d", "-e", "-f", "-g", "-h", "-k", "-p", "-r", "-s", "-u", "-w",
                "-x", "-z", "-n", "-L",
            ];
            if !UNARY.contains(&operator) {
                return fail("it has a test that cannot be read");
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
            | (_, [WordPiece::Plain("="), WordPiece::Plain("~")]) => false,
            (Some("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge"), _) => true,
            _ => return fail("it has a test that cannot be read"),
        };
        self.blanks()?;
        operands.push((first, is_number));
        operands.push((self.some_word()?, is_number));
        Ok(())
    }

    fn simple(&mut self) -> ProofResult<SimpleNode<'a>> {
        let begun = self.at;
        let mut simple = SimpleNode {
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
                if is_reserved || matches!(&*word.pieces, [WordPiece::Brace(_)]) {
                    return fail(UNREADABLE);
                }
                simple.words.push(word);
            } else {
                break;
            }
            simple.span.end = self.at;
            if simple.words.len() > 4096 || simple.assignments.len() > MAX_ITEMS {
                return fail("it has too many words");
            }
        }
        if simple.span.is_empty() {
            return fail("a command is missing");
        }
        Ok(simple)
    }

    fn assignment(&mut self) -> ProofResult<Option<AssignmentNode<'a>>> {
        let begun = self.at;
        let name = self.name();
        if !name.is_empty() && self.byte(0) == b'[' {
            return fail("it sets an element of an array, whose subscript may run something");
        }
        let is_added = self.rest().starts_with("+=");
        if name.is_empty() || !is_added && self.byte(0) != b'=' {
            self.at = begun;
            return Ok(None);
        }
        self.at += if is_added { 2 } else { 1 };
        let value = self.value()?;
        if value.has_braces() {
            return fail("a value has braces");
        }
        Ok(Some(AssignmentNode {
            name,
            value,
            appends: is_added,
        }))
    }
}
