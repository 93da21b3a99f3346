//! Reads the text of a formula, in two steps: words, then a tree by the operators' precedence.
//!
//! From the loosest to the tightest: comparisons (not in a row), + and -, * and /, the sign, ^ (from the right). The reader is that of
//! `winnow`. How long a text is and how deep its parentheses go is bounded, so that no text takes long or fills the stack.
//! Any text gives a tree or a mistake. It leaves out assignments, loops and calls of anything but the listed functions.

use winnow::Parser;
use winnow::combinator::{Infix, Prefix, alt, expression, opt, separated};
use winnow::error::{ErrMode, ParserError};
use winnow::stream::{Stream, TokenSlice};
use winnow::token::{any, one_of, take_while};

use super::names::{Function, constant, nearest};
use super::operation::{Binary, Unary};
use super::tree::Tree;
use crate::scheduler::columns::Column;

/// The longest text, in characters.
pub(super) const MOST_CHARACTERS: usize = 1000;

/// The most words and signs, which bounds the depth of a tree.
const MOST_TOKENS: usize = 400;

/// How deep parentheses may go.
const MOST_PARENTHESES: usize = 30;

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The number of the character, from 1; behind the last if something is missing there.
    pub character: usize,
    /// What is wrong.
    pub message: String,
}

/// A word or sign of a formula.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Word<'a> {
    Number(f64),
    Name(&'a str),
    Sign(&'a str),
}

/// A word with its place.
#[derive(Clone, Debug)]
struct Token<'a> {
    character: usize,
    word: Word<'a>,
}

type Input<'t, 'a> = TokenSlice<'t, Token<'a>>;
type Read<T> = Result<T, ErrMode<Mistake>>;

impl<I: Stream> ParserError<I> for Mistake {
    type Inner = Self;

    fn from_input(_: &I) -> Self {
        Self { character: 0, message: String::new() }
    }

    fn into_inner(self) -> Result<Self, Self> {
        Ok(self)
    }
}

/// The tree of a formula, or all that is wrong with its words, else the first thing that is wrong with their order.
pub(super) fn read(text: &str) -> Result<Tree, Vec<Mistake>> {
    let characters = text.chars().count();
    if characters > MOST_CHARACTERS {
        let message = format!("{characters} characters are too many: at most {MOST_CHARACTERS}");
        return Err(vec![Mistake { character: MOST_CHARACTERS + 1, message }]);
    }
    let tokens = tokens_of(text).map_err(|mistake| vec![mistake])?;
    let unknown = unknown_names(&tokens);
    if !unknown.is_empty() {
        return Err(unknown);
    }
    check_size(&tokens).map_err(|mistake| vec![mistake])?;
    let mut input = TokenSlice::new(&tokens);
    let end = characters + 1;
    let found = tree(&mut input).map_err(|error| error.into_inner().unwrap_or_else(|_| missing_value(&input, end)));
    let found = found.map_err(|mistake| if mistake.character == 0 { missing_value(&input, end) } else { mistake });
    match (found, input.first()) {
        (Ok(tree), None) => Ok(tree),
        (Ok(_), Some(token)) => Err(vec![unexpected(token)]),
        (Err(mistake), _) => Err(vec![mistake]),
    }
}

/// The words and signs of a text.
fn tokens_of(text: &str) -> Result<Vec<Token<'_>>, Mistake> {
    let (mut tokens, mut rest) = (Vec::new(), text);
    loop {
        rest = rest.trim_start();
        let character = 1 + text[..text.len() - rest.len()].chars().count();
        let Some(next) = rest.chars().next() else { return Ok(tokens) };
        match word(&mut rest) {
            Ok(word) => tokens.push(Token { character, word }),
            Err(_) => {
                let message = format!("{next:?} is no part of a formula");
                return Err(Mistake { character, message });
            }
        }
    }
}

fn word<'a>(rest: &mut &'a str) -> Read<Word<'a>> {
    alt((number.map(Word::Number), name.map(Word::Name), sign.map(Word::Sign))).parse_next(rest)
}

/// Digits with a point and an exponent: 2, 0.5, .5, 1e-3.
fn number(rest: &mut &str) -> Read<f64> {
    let digit = |character: char| character.is_ascii_digit();
    let whole = (take_while(1.., digit), opt(('.', take_while(0.., digit)))).void();
    let point = ('.', take_while(1.., digit)).void();
    let exponent = (alt(('e', 'E')), opt(alt(('+', '-'))), take_while(1.., digit));
    let digits = (alt((whole, point)), opt(exponent)).take().parse_next(rest)?;
    digits.parse().map_err(|_| ParserError::<&str>::from_input(rest))
}

fn name<'a>(rest: &mut &'a str) -> Read<&'a str> {
    let starts = |character: char| character.is_alphabetic() || character == '_';
    (take_while(1, starts), take_while(0.., |character: char| character.is_alphanumeric() || character == '_'))
        .take()
        .parse_next(rest)
}

fn sign<'a>(rest: &mut &'a str) -> Read<&'a str> {
    let two = alt(("<=", ">=", "==", "!=", "**"));
    alt((two, one_of(['<', '>', '+', '-', '*', '/', '^', '(', ')', ',']).take())).parse_next(rest)
}

/// A mistake for each name that means nothing where it stands.
fn unknown_names(tokens: &[Token<'_>]) -> Vec<Mistake> {
    let opens = |index: usize| matches!(tokens.get(index + 1), Some(Token { word: Word::Sign("("), .. }));
    let names = tokens.iter().enumerate().filter_map(|(index, token)| match token.word {
        Word::Name(name) => Some((token.character, name, opens(index))),
        _ => None,
    });
    let wrong = names.filter_map(|(character, name, called)| {
        let (is_function, is_value) = (Function::of_name(name).is_some(), value_of(name).is_some());
        let message = match (called, is_function, is_value) {
            (true, true, _) | (false, _, true) => return None,
            (true, false, true) => format!("\"{name}\" is no function, but a value"),
            (false, true, false) => format!("\"{name}\" is a function: {}", Function::usage(name)),
            (_, false, false) => {
                let kind = if called { "function" } else { "column" };
                format!("no {kind} \"{name}\"{}", nearest(name, called))
            }
        };
        Some(Mistake { character, message })
    });
    wrong.collect()
}

fn check_size(tokens: &[Token<'_>]) -> Result<(), Mistake> {
    if let Some(token) = tokens.get(MOST_TOKENS) {
        let message = format!("{} words and signs are too many: at most {MOST_TOKENS}", tokens.len());
        return Err(Mistake { character: token.character, message });
    }
    let mut depth = 0_usize;
    for token in tokens {
        match token.word {
            Word::Sign("(") => depth += 1,
            Word::Sign(")") => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MOST_PARENTHESES {
            let message = format!("parentheses are too deep: at most {MOST_PARENTHESES}");
            return Err(Mistake { character: token.character, message });
        }
    }
    Ok(())
}

fn value_of(name: &str) -> Option<Tree> {
    constant(name).map(Tree::Number).or_else(|| Column::of_name(name).map(Tree::Column))
}

/// A whole formula, up to what does not belong to it.
fn tree(input: &mut Input<'_, '_>) -> Read<Tree> {
    expression(operand).prefix(prefix).infix(infix).parse_next(input)
}

fn operand(input: &mut Input<'_, '_>) -> Read<Tree> {
    let start = input.checkpoint();
    let token = any.parse_next(input)?;
    let back = ErrMode::Backtrack(Mistake { character: 0, message: String::new() });
    match token.word {
        Word::Number(number) => Ok(Tree::Number(number)),
        Word::Name(name) if Function::of_name(name).is_some() && next_is(input, "(") => call(input, token, name),
        Word::Name(name) => value_of(name).ok_or(back),
        Word::Sign("(") => {
            let inner = needed(input, tree)?;
            closed(input, token)?;
            Ok(inner)
        }
        Word::Sign(_) => {
            input.reset(&start);
            Err(back)
        }
    }
}

/// The arguments of a function and what it makes of them.
fn call(input: &mut Input<'_, '_>, token: &Token<'_>, name: &str) -> Read<Tree> {
    let opening = any.parse_next(input)?;
    let argument = |input: &mut Input<'_, '_>| needed(input, tree);
    let arguments: Vec<Tree> = match next_is(input, ")") {
        true => Vec::new(),
        false => separated(1.., argument, |input: &mut Input<'_, '_>| exactly(input, ",")).parse_next(input)?,
    };
    closed(input, opening)?;
    let count = arguments.len();
    Function::of_name(name).and_then(|function| function.of(arguments)).ok_or_else(|| {
        let plural = if count == 1 { "" } else { "s" };
        let message = format!("{name} can't have {count} argument{plural}: write {}", Function::usage(name));
        ErrMode::Cut(Mistake { character: token.character, message })
    })
}

fn prefix<'t, 'a>(input: &mut Input<'t, 'a>) -> Read<Prefix<Input<'t, 'a>, Tree, ErrMode<Mistake>>> {
    alt((
        (|input: &mut Input<'t, 'a>| exactly(input, "-"))
            .map(|()| Prefix(NEGATE, |_, of| Ok(Tree::unary(Unary::Negate, of)))),
        (|input: &mut Input<'t, 'a>| exactly(input, "+")).map(|()| Prefix(NEGATE, |_, of| Ok(of))),
    ))
    .parse_next(input)
}

/// How tightly operators bind.
const COMPARE: i64 = 10;
const ADD: i64 = 20;
const MULTIPLY: i64 = 30;
const NEGATE: i64 = 40;
const POWER: i64 = 50;

fn infix<'t, 'a>(input: &mut Input<'t, 'a>) -> Read<Infix<Input<'t, 'a>, Tree, ErrMode<Mistake>>> {
    let start = input.checkpoint();
    let token = any.parse_next(input)?;
    let Word::Sign(sign) = token.word else {
        input.reset(&start);
        return Err(ErrMode::Backtrack(unexpected(token)));
    };
    Ok(match sign {
        "+" => Infix::Left(ADD, |_, left, right| Ok(Tree::binary(Binary::Add, left, right))),
        "-" => Infix::Left(ADD, |_, left, right| Ok(Tree::binary(Binary::Subtract, left, right))),
        "*" => Infix::Left(MULTIPLY, |_, left, right| Ok(Tree::binary(Binary::Multiply, left, right))),
        "/" => Infix::Left(MULTIPLY, |_, left, right| Ok(Tree::binary(Binary::Divide, left, right))),
        "^" | "**" => Infix::Right(POWER, |_, left, right| Ok(Tree::binary(Binary::Power, left, right))),
        "<" => Infix::Neither(COMPARE, |_, left, right| Ok(Tree::binary(Binary::Less, left, right))),
        "<=" => Infix::Neither(COMPARE, |_, left, right| Ok(Tree::binary(Binary::AtMost, left, right))),
        ">" => Infix::Neither(COMPARE, |_, left, right| Ok(Tree::binary(Binary::Greater, left, right))),
        ">=" => Infix::Neither(COMPARE, |_, left, right| Ok(Tree::binary(Binary::AtLeast, left, right))),
        "==" => Infix::Neither(COMPARE, |_, left, right| Ok(Tree::binary(Binary::Equal, left, right))),
        "!=" => Infix::Neither(COMPARE, |_, left, right| Ok(Tree::binary(Binary::NotEqual, left, right))),
        _ => {
            input.reset(&start);
            return Err(ErrMode::Backtrack(unexpected(token)));
        }
    })
}

/// What `read` finds, or a mistake where it finds nothing.
fn needed<'t, 'a>(input: &mut Input<'t, 'a>, read: impl Fn(&mut Input<'t, 'a>) -> Read<Tree>) -> Read<Tree> {
    read(input).map_err(|error| match error {
        ErrMode::Backtrack(_) => ErrMode::Cut(Mistake { character: 0, message: String::new() }),
        other => other,
    })
}

fn next_is(input: &Input<'_, '_>, sign: &str) -> bool {
    matches!(input.first(), Some(Token { word: Word::Sign(next), .. }) if *next == sign)
}

fn exactly(input: &mut Input<'_, '_>, sign: &str) -> Read<()> {
    if !next_is(input, sign) {
        return Err(ErrMode::Backtrack(Mistake { character: 0, message: String::new() }));
    }
    any.void().parse_next(input)
}

/// The parenthesis that closes the one of `opening`.
fn closed(input: &mut Input<'_, '_>, opening: &Token<'_>) -> Read<()> {
    exactly(input, ")").map_err(|_| match input.first() {
        Some(token) => ErrMode::Cut(unexpected(token)),
        None => {
            let message = "this parenthesis is never closed".to_owned();
            ErrMode::Cut(Mistake { character: opening.character, message })
        }
    })
}

fn unexpected(token: &Token<'_>) -> Mistake {
    let message = match token.word {
        Word::Number(_) => "an operator is missing before a number".to_owned(),
        Word::Name(name) => format!("an operator is missing before \"{name}\""),
        Word::Sign("(") => "an operator is missing before \"(\"".to_owned(),
        Word::Sign(")") => "this parenthesis was never opened".to_owned(),
        Word::Sign(",") => "a comma separates arguments of functions only".to_owned(),
        Word::Sign(sign) => format!("\"{sign}\" can't follow another comparison: put one in parentheses"),
    };
    Mistake { character: token.character, message }
}

/// That a number, a column or a function should stand where reading stopped.
fn missing_value(input: &Input<'_, '_>, end: usize) -> Mistake {
    let (character, before) = match input.first() {
        Some(Token { character, word: Word::Sign(sign) }) => (*character, format!(" before \"{sign}\"")),
        Some(token) => (token.character, String::new()),
        None => (end, " at the end".to_owned()),
    };
    Mistake { character, message: format!("a value is missing{before}") }
}
