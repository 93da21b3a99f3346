//! `#[derive(Words)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, LitStr, Result, Variant};

use crate::attributes::snake_case;

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(input, "words are an enum without fields"));
    };
    let name = &input.ident;
    let variants: Vec<_> = data.variants.iter().map(|variant| &variant.ident).collect();
    let words = data.variants.iter().map(word_of).collect::<Result<Vec<String>>>()?;
    let numbers = 0..words.len();
    Ok(quote! {
        impl #name {
            /// Every value.
            pub const ALL: &'static [Self] = &[#(Self::#variants),*];

            /// The words of a scenario, in the order of the values.
            pub const WORDS: &'static [&'static str] = &[#(#words),*];

            /// The word of a scenario.
            pub const fn word(self) -> &'static str {
                match self {
                    #(Self::#variants => Self::WORDS[#numbers],)*
                }
            }
        }

        impl ::airlink_model::types::declare::Field for #name {
            fn form(_: &::airlink_model::types::declare::Rule) -> ::airlink_model::types::declare::Form {
                ::airlink_model::types::declare::Form::Words(Self::WORDS)
            }

            fn read(
                value: &::airlink_model::types::declare::Value,
                _: &::airlink_model::types::declare::Rule,
                reader: &mut ::airlink_model::types::declare::Reader,
            ) -> ::core::option::Option<Self> {
                match value {
                    #(::airlink_model::types::declare::Value::Text(text) if text == #words => ::core::option::Option::Some(Self::#variants),)*
                    other => reader.not_allowed(other, &Self::WORDS.join(", ")),
                }
            }

            fn write(&self, _: &::airlink_model::types::declare::Rule) -> ::airlink_model::types::declare::Value {
                ::airlink_model::types::declare::Value::Text(self.word().to_owned())
            }
        }
    })
}

fn word_of(variant: &Variant) -> Result<String> {
    if !matches!(variant.fields, Fields::Unit) {
        return Err(Error::new_spanned(variant, "a word has no fields"));
    }
    let given = variant.attrs.iter().find(|attribute| attribute.path().is_ident("word"));
    match given {
        Some(attribute) => Ok(attribute.parse_args::<LitStr>()?.value()),
        None => Ok(snake_case(&variant.ident.to_string())),
    }
}
