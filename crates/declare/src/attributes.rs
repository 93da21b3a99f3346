//! What stands in `#[section(...)]`, `#[field(...)]` and doc comments.

use proc_macro2::TokenStream;
use quote::quote;
use syn::meta::ParseNestedMeta;
use syn::parse::Parse;
use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Meta, Result, Token, parenthesized};

/// `#[section(...)]`.
#[derive(Default)]
pub(crate) struct SectionAttributes {
    pub(crate) class: Option<String>,
    pub(crate) kind: Option<String>,
    pub(crate) about: String,
    pub(crate) facts: Vec<LitStr>,
}

impl SectionAttributes {
    pub(crate) fn of(attributes: &[Attribute]) -> Result<Self> {
        let mut found = Self::default();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("section")) {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("facts") {
                    found.facts = texts(&meta)?;
                    return Ok(());
                }
                let text = meta.value()?.parse::<LitStr>()?.value();
                match name_of(&meta).as_str() {
                    "class" => found.class = Some(text),
                    "kind" => found.kind = Some(text),
                    "about" => found.about = text,
                    _ => return Err(meta.error("not known: class, kind, about or facts")),
                }
                Ok(())
            })?;
        }
        Ok(found)
    }
}

/// `#[field(...)]`.
#[derive(Default)]
pub(crate) struct FieldAttributes {
    pub(crate) group: bool,
    /// None: the field must be written. An inner none: the default of its type.
    pub(crate) default: Option<Option<Expr>>,
    name: Option<String>,
    meaning: Option<Expr>,
    unit: String,
    source: String,
    bounds: Vec<(String, Expr)>,
    switches: Vec<String>,
    words: Vec<LitStr>,
    items: Option<Expr>,
    pattern: Option<(LitStr, LitStr)>,
}

impl FieldAttributes {
    pub(crate) fn of(attributes: &[Attribute]) -> Result<Self> {
        let mut found = Self::default();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("field")) {
            attribute.parse_nested_meta(|meta| found.take(&meta))?;
        }
        Ok(found)
    }

    fn take(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        let name = name_of(meta);
        match name.as_str() {
            "group" => self.group = true,
            "default" if meta.input.peek(Token![=]) => self.default = Some(Some(meta.value()?.parse()?)),
            "default" => self.default = Some(None),
            "name" => self.name = Some(meta.value()?.parse::<LitStr>()?.value()),
            "meaning" => self.meaning = Some(meta.value()?.parse()?),
            "unit" => self.unit = meta.value()?.parse::<LitStr>()?.value(),
            "source" => self.source = meta.value()?.parse::<LitStr>()?.value(),
            "at_least" | "above" | "at_most" | "below" => self.bounds.push((name, meta.value()?.parse()?)),
            "infinite" | "or_zero" => self.switches.push(name),
            "items" => self.items = Some(meta.value()?.parse()?),
            "words" => self.words = texts(meta)?,
            "pattern" => {
                let inside;
                parenthesized!(inside in meta.input);
                let pattern = inside.parse()?;
                inside.parse::<Token![,]>()?;
                self.pattern = Some((pattern, inside.parse()?));
            }
            _ => return Err(meta.error("not known in #[field(...)]")),
        }
        Ok(())
    }

    /// The rule of a field, as a constant expression.
    pub(crate) fn rule(&self, own_name: &str, meaning: &str) -> TokenStream {
        let (name, unit, source) = (self.name.as_deref().unwrap_or(own_name), &self.unit, &self.source);
        let bounds = self.bounds.iter().map(|(bound, value)| {
            let bound = syn::Ident::new(bound, proc_macro2::Span::call_site());
            quote! { #bound: ::core::option::Option::Some((#value) as f64), }
        });
        let switches = self.switches.iter().map(|switch| {
            let switch = syn::Ident::new(switch, proc_macro2::Span::call_site());
            quote! { #switch: true, }
        });
        let words = &self.words;
        let meaning = self.meaning.as_ref().map_or(quote! { #meaning }, |meaning| quote! { #meaning });
        let items = self.items.as_ref().map_or(quote! { 0 }, |items| quote! { #items });
        let (pattern, in_words) = self
            .pattern
            .as_ref()
            .map_or((quote! { "" }, quote! { "" }), |(pattern, words)| (quote! { #pattern }, quote! { #words }));
        quote! {
            ::airlink_model::types::declare::Rule {
                name: #name,
                unit: #unit,
                meaning: #meaning,
                source: #source,
                range: ::airlink_model::types::declare::Range {
                    #(#bounds)*
                    #(#switches)*
                    ..::airlink_model::types::declare::Range::ANY
                },
                words: &[#(#words),*],
                items: #items,
                pattern: (#pattern, #in_words),
            }
        }
    }
}

/// A doc comment as one text: its lines joined, its paragraphs apart.
pub(crate) fn doc_of(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value().trim().to_owned()),
            _ => None,
        },
        _ => None,
    });
    let mut paragraphs = vec![String::new()];
    for line in lines {
        if line.is_empty() {
            paragraphs.push(String::new());
        } else if let Some(paragraph) = paragraphs.last_mut() {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(&line);
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs.join("\n\n")
}

/// The texts in parentheses after a name.
fn texts(meta: &ParseNestedMeta<'_>) -> Result<Vec<LitStr>> {
    let inside;
    parenthesized!(inside in meta.input);
    Ok(inside.parse_terminated(<LitStr as Parse>::parse, Token![,])?.into_iter().collect())
}

fn name_of(meta: &ParseNestedMeta<'_>) -> String {
    meta.path.get_ident().map(ToString::to_string).unwrap_or_default()
}

/// `SomeName` as `some_name`.
pub(crate) fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for (index, letter) in name.char_indices() {
        if letter.is_uppercase() && index > 0 {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}
