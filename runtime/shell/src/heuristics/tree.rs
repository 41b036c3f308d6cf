//! The parser of text with constructs, based on tree-sitter.
//!
//! The syntax tree is verified: errors in the tree, and text between the nodes that the tree does not cover, make the
//! text unclear.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::{ControlFlow, Range};

use tree_sitter::{Node, ParseOptions, Parser, Tree};

use super::lexer::{KnownVariables, Lexer, LexerStop, Token};
use super::parse::simple;
use crate::name_list::NameList;
use crate::script::{Command, Construct, MAX_COMMANDS, Redirect, RedirectKind, Script, ScriptWord};

/// The maximum nesting depth of constructs.
const MAX_DEPTH: usize = 64;
/// The maximum number of calls of the parser's progress callback, which the parser calls after some hundred steps.
const MAX_PARSER_CALLBACKS: usize = 3_000;

/// The nodes that are constructs inside of words.
const HOLES: NameList =
    NameList::new("command_substitution process_substitution expansion arithmetic_expansion array");
/// The nodes between whose children only blanks may occur.
const STRUCTURES: NameList =
    NameList::new("program list pipeline compound_statement subshell do_group negated_command");
/// The nodes that may contain constructs, and are not constructs themselves.
const WORDS: NameList = NameList::new(
    "command_name concatenation string word variable_assignment array \
                     file_redirect herestring_redirect translated_string subscript",
);

thread_local! {
    static PARSER: RefCell<Option<Parser>> = const { RefCell::new(None) };
}

/// Parses text that has constructs.
pub(crate) fn parse(text: &str) -> Script<'_> {
    let Some(tree) = syntax(text) else {
        let unclear = Some("it takes too long to be read");
        return Script {
            unclear,
            ..Script::default()
        };
    };
    let mut walk = TreeWalk {
        text,
        script: Script::default(),
        holes: Vec::new(),
        known: KnownVariables::default(),
    };
    if !walk.find_holes(&tree) {
        return Script {
            unclear: Some("a part of it cannot be read"),
            ..Script::default()
        };
    }
    walk.node(tree.root_node(), 0);
    walk.script
}

fn syntax(text: &str) -> Option<Tree> {
    PARSER.with_borrow_mut(|slot| {
        if slot.is_none() {
            let mut parser = Parser::new();
            parser
                .set_language(&tree_sitter_bash::LANGUAGE.into())
                .ok()?;
            *slot = Some(parser);
        }
        let parser = slot.as_mut()?;
        let mut breaths = 0;
        let mut breathe = |_: &tree_sitter::ParseState| {
            breaths += 1;
            if breaths > MAX_PARSER_CALLBACKS {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let bytes = ascii(text);
        let mut read = |at: usize, _| bytes.get(at..).unwrap_or_default();
        let options = ParseOptions::new().progress_callback(&mut breathe);
        let tree = parser.parse_with_options(&mut read, None, Some(options));
        if tree.is_none() {
            parser.reset();
        }
        tree
    })
}

/// Replaces each byte that is not ASCII with a plain character.
///
/// The scanner of tree-sitter's grammar passes each character to the C library's classification functions, which read
/// outside of their tables beyond the first 256 characters. In bash these characters are parts of words; only their
/// positions matter here.
fn ascii(text: &str) -> Cow<'_, [u8]> {
    if text.is_ascii() {
        return Cow::Borrowed(text.as_bytes());
    }
    let plain = |byte: u8| if byte.is_ascii() { byte } else { b'x' };
    Cow::Owned(text.bytes().map(plain).collect())
}

struct TreeWalk<'a> {
    text: &'a str,
    script: Script<'a>,
    /// The ranges of the constructs inside of words, sorted by their beginning.
    holes: Vec<Range<usize>>,
    known: KnownVariables<'a>,
}

impl<'a> TreeWalk<'a> {
    fn unclear(&mut self, why: &'static str) {
        self.script.unclear.get_or_insert(why);
    }

    /// Collects the constructs inside of words; reports whether every node begins and ends at a character boundary.
    fn find_holes(&mut self, tree: &Tree) -> bool {
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            let is_whole = self.text.is_char_boundary(node.start_byte())
                && self.text.is_char_boundary(node.end_byte());
            if !is_whole {
                return false;
            }
            if HOLES.has(node.kind()) {
                self.holes.push(node.byte_range());
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    self.holes.sort_by_key(|hole| hole.start);
                    return true;
                }
            }
        }
    }

    /// Visits a structural node.
    fn node(&mut self, node: Node<'_>, depth: usize) {
        if depth > MAX_DEPTH {
            return self.unclear("its constructs are nested too deeply");
        }
        if self.script.commands.len() > MAX_COMMANDS {
            return self.unclear("it has too many commands");
        }
        if node.is_error() || node.is_missing() {
            self.unclear("a part of it cannot be read");
        }
        if let Some(construct) = construct(node) {
            self.script.constructs.push(construct);
        }
        match node.kind() {
            "command"
            | "declaration_command"
            | "unset_command"
            | "variable_assignment"
            | "variable_assignments" => {
                let range = node.byte_range();
                self.command(range);
                self.inner(node, depth);
            }
            "redirected_statement" => self.visit_redirected(node, depth),
            "pipeline" => self.pipeline(node, depth),
            "heredoc_redirect" => self.here_document(node, None, depth),
            _ => self.children(node, depth),
        }
    }

    /// Visits all children of a structural node, and checks the text between them.
    fn children(&mut self, node: Node<'_>, depth: usize) {
        let mut cursor = node.walk();
        let mut end = node.start_byte();
        let is_structure = STRUCTURES.has(node.kind());
        for child in node.children(&mut cursor) {
            if is_structure {
                self.gap(end..child.start_byte());
            }
            end = child.end_byte();
            if child.is_named() || child.is_error() || child.is_missing() {
                self.node(child, depth + 1);
            }
        }
        if is_structure {
            self.gap(end..node.end_byte());
        }
    }

    fn gap(&mut self, range: Range<usize>) {
        let between = self.text.get(range).unwrap_or_default();
        if !between.trim_matches([' ', '\t', '\n', '\\']).is_empty() {
            self.unclear("a part of it cannot be read");
        }
    }

    /// Visits the constructs inside of the words of a command.
    fn inner(&mut self, node: Node<'_>, depth: usize) {
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            if child.is_error() || child.is_missing() {
                self.unclear("a part of it cannot be read");
            }
            if WORDS.has(child.kind()) {
                self.inner(child, depth + 1);
            } else if child.is_named() {
                self.node(child, depth + 1);
            }
        }
    }

    /// Parses a simple command; returns its index.
    fn command(&mut self, range: Range<usize>) -> Option<usize> {
        match self.read(range) {
            Ok(Some(command)) => {
                self.script.commands.push(command);
                Some(self.script.commands.len() - 1)
            }
            Ok(None) => None,
            Err(stop) => {
                self.unclear(match stop {
                    LexerStop::Unclear(why) => why,
                    LexerStop::Nested => "a part of it cannot be read",
                });
                None
            }
        }
    }

    fn read(&self, range: Range<usize>) -> Result<Option<Command<'a>>, LexerStop> {
        let mut lexer = Lexer::with_holes(self.text, range.clone(), &self.holes, &self.known);
        let (command, separator) = simple(self.text, &mut lexer, range.end)?;
        let is_whole = separator.is_none()
            || lexer.position() >= range.end && matches!(separator, Some(Token::Separator));
        if is_whole {
            Ok(command)
        } else {
            Err(LexerStop::Unclear("a part of it cannot be read"))
        }
    }

    fn pipeline(&mut self, node: Node<'_>, depth: usize) {
        let mut cursor = node.walk();
        let mut end = node.start_byte();
        let mut previous: Option<usize> = None;
        for child in node.children(&mut cursor) {
            self.gap(end..child.start_byte());
            end = child.end_byte();
            if !child.is_named() && !child.is_error() {
                continue;
            }
            let first = self.script.commands.len();
            self.node(child, depth + 1);
            if let Some(command) = self.script.commands.get_mut(first) {
                command.reads_from = command.reads_from.or(previous);
            }
            previous = self.script.commands.len().checked_sub(1);
        }
    }

    /// Visits a command or a construct that is followed by redirections.
    fn visit_redirected(&mut self, node: Node<'_>, depth: usize) {
        let mut cursor = node.walk();
        let children: Vec<_> = node.children(&mut cursor).collect();
        let Some(body) = children.first() else { return };
        let here = children
            .iter()
            .find(|child| child.kind() == "heredoc_redirect");
        let end = here.map_or(node.end_byte(), Node::start_byte);
        let place = if matches!(
            body.kind(),
            "command" | "declaration_command" | "variable_assignment"
        ) {
            let place = self.command(node.start_byte()..end);
            self.inner(*body, depth + 1);
            place
        } else {
            self.node(*body, depth + 1);
            let place = (body.end_byte() < end)
                .then(|| self.command(body.end_byte()..end))
                .flatten();
            if place.is_some_and(|place| !self.script.commands[place].words.is_empty()) {
                self.unclear("a part of it cannot be read");
            }
            place
        };
        for child in &children[1..] {
            match child.kind() {
                "heredoc_redirect" => self.here_document(*child, place, depth + 1),
                "file_redirect" | "herestring_redirect" => self.inner(*child, depth + 1),
                _ => self.node(*child, depth + 1),
            }
        }
    }

    fn here_document(&mut self, node: Node<'_>, place: Option<usize>, depth: usize) {
        let mut cursor = node.walk();
        let mut is_quoted = false;
        let mut previous = place;
        for child in node.children(&mut cursor) {
            match child.kind() {
                "heredoc_start" => {
                    let start = &self.text[child.byte_range()];
                    is_quoted = start.contains(['\'', '"', '\\']);
                }
                "heredoc_body" => self.body(child, place, is_quoted, depth),
                "file_redirect" => {
                    let redirects = self.read(child.byte_range()).ok().flatten();
                    let target = place.and_then(|place| self.script.commands.get_mut(place));
                    match (redirects, target) {
                        (Some(read), Some(command)) if read.words.is_empty() => {
                            command.redirects.extend(read.redirects);
                        }
                        _ => self.unclear("a part of it cannot be read"),
                    }
                    self.inner(child, depth);
                }
                "heredoc_end" | "<<" | "<<-" | "file_descriptor" => {}
                _ if !child.is_named() && !child.is_error() && !child.is_missing() => {}
                _ => {
                    let first = self.script.commands.len();
                    let is_pipe = child.kind() == "pipeline";
                    self.node(child, depth + 1);
                    if let Some(command) = self.script.commands.get_mut(first).filter(|_| is_pipe) {
                        command.reads_from = command.reads_from.or(previous);
                    }
                    previous = self.script.commands.len().checked_sub(1);
                }
            }
        }
    }

    fn body(&mut self, node: Node<'_>, place: Option<usize>, is_quoted: bool, depth: usize) {
        let text = &self.text[node.byte_range()];
        // An unquoted document that tree-sitter treats as plain text is checked again, since bash expands it.
        let is_dynamic = !is_quoted && text.contains(['$', '`']);
        let target = ScriptWord {
            is_dynamic,
            ..ScriptWord::literal(text)
        };
        let redirect = Redirect {
            kind: RedirectKind::HereDocument,
            target,
        };
        match place.and_then(|place| self.script.commands.get_mut(place)) {
            Some(command) => command.redirects.push(redirect),
            None => self.unclear("a part of it cannot be read"),
        }
        if !is_quoted {
            let substitutions = self.script.constructs.len();
            self.inner(node, depth + 1);
            let hidden = text.contains("$(") || text.contains('`') || text.contains("${");
            if hidden && self.script.constructs.len() == substitutions {
                self.unclear("a part of it cannot be read");
            }
        }
    }
}

fn construct(node: Node<'_>) -> Option<Construct> {
    Some(match node.kind() {
        "command_substitution" => Construct::CommandSubstitution,
        "process_substitution" => Construct::ProcessSubstitution,
        "expansion" => Construct::Expansion,
        "arithmetic_expansion" if !has_only_numbers(node) => Construct::Arithmetic,
        "subshell" => Construct::Subshell,
        "for_statement" | "c_style_for_statement" => Construct::For,
        "while_statement" => match node.child(0).map(|first| first.kind()) {
            Some("until") => Construct::Until,
            _ => Construct::While,
        },
        "if_statement" => Construct::If,
        "case_statement" => Construct::Case,
        "function_definition" => Construct::Function,
        "test_command" => Construct::Test,
        "compound_statement" if node.child(0).is_some_and(|first| first.kind() == "((") => {
            Construct::Arithmetic
        }
        _ => return None,
    })
}

/// Reports whether an expression contains only numbers and operators, which cannot run anything; names can, through
/// their values.
fn has_only_numbers(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .all(|child| match child.kind() {
            "number" => child.named_child_count() == 0,
            "binary_expression"
            | "unary_expression"
            | "parenthesized_expression"
            | "ternary_expression" => has_only_numbers(child),
            _ => false,
        })
}
