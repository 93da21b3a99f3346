//! `#[derive(Section)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Ident, LitStr, Result, Type, Variant};

use crate::attributes::{FieldAttributes, SectionAttributes, doc_of, snake_case};

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let derived = match &input.data {
        Data::Struct(data) => of_struct(input, &data.fields)?,
        Data::Enum(data) => of_enum(input, data.variants.iter())?,
        Data::Union(_) => return Err(Error::new_spanned(input, "a section is a struct or an enum")),
    };
    let field = field_of_section(&input.ident);
    Ok(quote! { #derived #field })
}

/// A table within another is a field of it.
fn field_of_section(name: &Ident) -> TokenStream {
    quote! {
        impl ::airlink_model::types::declare::Field for #name {
            fn form(_: &::airlink_model::types::declare::Rule) -> ::airlink_model::types::declare::Form {
                ::airlink_model::types::declare::Form::Table(::std::boxed::Box::new(
                    <Self as ::airlink_model::types::declare::Section>::declaration(),
                ))
            }

            fn read(
                value: &::airlink_model::types::declare::Value,
                _: &::airlink_model::types::declare::Rule,
                reader: &mut ::airlink_model::types::declare::Reader,
            ) -> ::core::option::Option<Self> {
                let mut table = ::airlink_model::types::declare::Table::of(value, reader)?;
                let found = <Self as ::airlink_model::types::declare::Section>::read_fields(&mut table);
                table.finish();
                found
            }

            fn write(&self, _: &::airlink_model::types::declare::Rule) -> ::airlink_model::types::declare::Value {
                <Self as ::airlink_model::types::declare::Section>::to_value(self)
            }
        }
    }
}

/// The declared fields of a struct or of a variant.
struct Declared {
    names: Vec<Ident>,
    types: Vec<Type>,
    attributes: Vec<FieldAttributes>,
    rules: Vec<TokenStream>,
}

impl Declared {
    fn of(fields: &Fields) -> Result<Self> {
        let mut declared = Self { names: vec![], types: vec![], attributes: vec![], rules: vec![] };
        for field in fields {
            let Some(name) = &field.ident else {
                return Err(Error::new_spanned(field, "fields of a section have names"));
            };
            let attributes = FieldAttributes::of(&field.attrs)?;
            let meaning = doc_of(&field.attrs);
            let meaning = meaning.strip_suffix('.').unwrap_or(&meaning);
            let own_name = name.to_string();
            declared.rules.push(attributes.rule(own_name.strip_prefix("r#").unwrap_or(&own_name), meaning));
            declared.names.push(name.clone());
            declared.types.push(field.ty.clone());
            declared.attributes.push(attributes);
        }
        Ok(declared)
    }

    /// The constants that hold the rules, under names that other tables of the same enum cannot have.
    fn constants(&self) -> TokenStream {
        let (rules, count) = (&self.rules, self.rules.len());
        quote! { static RULES: [::airlink_model::types::declare::Rule; #count] = [#(#rules),*]; }
    }

    fn members(&self) -> TokenStream {
        let members = (0..self.names.len()).map(|index| {
            let (held, attributes) = (&self.types[index], &self.attributes[index]);
            if attributes.group {
                return quote! {
                    ::airlink_model::types::declare::Member::Group(
                        <#held as ::airlink_model::types::declare::Section>::declaration(),
                    )
                };
            }
            let default = match self.default(index) {
                Some(default) => quote! {{
                    let default: #held = #default;
                    ::core::option::Option::Some(
                        <#held as ::airlink_model::types::declare::Field>::write(&default, &RULES[#index]),
                    )
                }},
                None => quote! { ::core::option::Option::None },
            };
            quote! {
                ::airlink_model::types::declare::Member::Field {
                    rule: &RULES[#index],
                    form: <#held as ::airlink_model::types::declare::Field>::form(&RULES[#index]),
                    default: #default,
                }
            }
        });
        quote! { ::std::vec![#(#members),*] }
    }

    /// The default of a field, if it has one.
    fn default(&self, index: usize) -> Option<TokenStream> {
        let (held, attributes) = (&self.types[index], &self.attributes[index]);
        if attributes.group {
            return Some(quote! { <#held as ::core::default::Default>::default() });
        }
        attributes.default.as_ref().map(|given| match given {
            Some(value) => quote! { #value },
            None => quote! { <#held as ::core::default::Default>::default() },
        })
    }

    /// Statements that read each field into a local of its name, none with a mistake.
    fn reads(&self) -> TokenStream {
        let reads = (0..self.names.len()).map(|index| {
            let (name, held) = (&self.names[index], &self.types[index]);
            if self.attributes[index].group {
                quote! { let #name = <#held as ::airlink_model::types::declare::Section>::read_fields(table); }
            } else {
                quote! { let #name = table.field::<#held>(&RULES[#index]); }
            }
        });
        quote! { #(#reads)* }
    }

    /// Statements that write each field, which stands in a local reference of its name.
    fn writes(&self) -> TokenStream {
        let writes = (0..self.names.len()).map(|index| {
            let (name, held) = (&self.names[index], &self.types[index]);
            if self.attributes[index].group {
                quote! { <#held as ::airlink_model::types::declare::Section>::write_fields(#name, fields); }
            } else {
                quote! {
                    fields.push((
                        ::std::borrow::ToOwned::to_owned(RULES[#index].name),
                        <#held as ::airlink_model::types::declare::Field>::write(#name, &RULES[#index]),
                    ));
                }
            }
        });
        quote! { #(#writes)* }
    }

    fn all_have_defaults(&self) -> bool {
        self.attributes.iter().all(|attributes| attributes.group || attributes.default.is_some())
    }
}

/// How a table is called.
struct Title {
    class: String,
    kind: String,
    about: String,
    meaning: String,
    facts: Vec<LitStr>,
}

impl Title {
    fn of(name: &Ident, attributes: &[syn::Attribute], default_kind: &str) -> Result<Self> {
        let given = SectionAttributes::of(attributes)?;
        let name = name.to_string();
        let class = given.class.unwrap_or_else(|| name.strip_suffix("Config").unwrap_or(&name).to_owned());
        let kind = given.kind.unwrap_or_else(|| default_kind.to_owned());
        Ok(Self { class, kind, about: given.about, meaning: doc_of(attributes), facts: given.facts })
    }

    fn declaration(&self, members: &TokenStream, variants: &TokenStream) -> TokenStream {
        let Self { class, kind, about, meaning, facts } = self;
        quote! {
            ::airlink_model::types::declare::Declaration {
                class: #class,
                kind: #kind,
                about: #about,
                meaning: #meaning,
                facts: &[#(#facts),*],
                members: #members,
                variants: #variants,
            }
        }
    }
}

fn of_struct(input: &DeriveInput, fields: &Fields) -> Result<TokenStream> {
    let name = &input.ident;
    let declared = Declared::of(fields)?;
    let title = Title::of(name, &input.attrs, "")?;
    let declaration = title.declaration(&declared.members(), &quote! { ::core::option::Option::None });
    let (names, reads, writes, constants) =
        (&declared.names, declared.reads(), declared.writes(), declared.constants());
    let constants = if names.is_empty() {
        quote! {}
    } else {
        constants
    };
    let defaults: Vec<_> = (0..names.len()).filter_map(|index| declared.default(index)).collect();
    let default = declared.all_have_defaults().then(|| {
        quote! {
            impl ::core::default::Default for #name {
                fn default() -> Self {
                    Self { #(#names: #defaults),* }
                }
            }
        }
    });
    Ok(quote! {
        const _: () = {
            #constants

            impl ::airlink_model::types::declare::Section for #name {
                fn declaration() -> ::airlink_model::types::declare::Declaration {
                    #declaration
                }

                #[allow(unused_variables)]
                fn read_fields(table: &mut ::airlink_model::types::declare::Table<'_>) -> ::core::option::Option<Self> {
                    #reads
                    ::core::option::Option::Some(Self { #(#names: #names?),* })
                }

                #[allow(unused_variables)]
                fn write_fields(
                    &self,
                    fields: &mut ::std::vec::Vec<(::std::string::String, ::airlink_model::types::declare::Value)>,
                ) {
                    let Self { #(#names),* } = self;
                    #writes
                }
            }
        };

        #default
    })
}

/// One of the tables of an enum.
struct Arm {
    kind: String,
    declaration: TokenStream,
    read: TokenStream,
    write: TokenStream,
}

fn of_enum<'a>(input: &DeriveInput, variants: impl Iterator<Item = &'a Variant>) -> Result<TokenStream> {
    let name = &input.ident;
    let variants: Vec<_> = variants.collect();
    let names = variants.iter().map(|variant| &variant.ident);
    let arms = variants.iter().map(|variant| arm(variant)).collect::<Result<Vec<Arm>>>()?;
    let title = Title::of(name, &input.attrs, "")?;
    let (class, about, meaning) = (&title.class, &title.about, &title.meaning);
    let kinds: Vec<_> = arms.iter().map(|arm| &arm.kind).collect();
    let declarations = arms.iter().map(|arm| &arm.declaration);
    let (reads, writes) = (arms.iter().map(|arm| &arm.read), arms.iter().map(|arm| &arm.write));
    Ok(quote! {
        impl ::airlink_model::types::declare::Section for #name {
            fn declaration() -> ::airlink_model::types::declare::Declaration {
                ::airlink_model::types::declare::Declaration {
                    class: #class,
                    kind: "",
                    about: #about,
                    meaning: #meaning,
                    facts: &[],
                    members: ::std::vec::Vec::new(),
                    variants: ::core::option::Option::Some(::airlink_model::types::declare::Variants {
                        class: #class,
                        each: ::std::vec![#(#declarations),*],
                    }),
                }
            }

            fn read_fields(table: &mut ::airlink_model::types::declare::Table<'_>) -> ::core::option::Option<Self> {
                let kind = table.kind(&[#(#kinds),*])?;
                #(if kind == #kinds { return #reads; })*
                ::core::option::Option::None
            }

            fn write_fields(
                &self,
                fields: &mut ::std::vec::Vec<(::std::string::String, ::airlink_model::types::declare::Value)>,
            ) {
                match self {
                    #(#writes)*
                }
            }
        }

        impl #name {
            /// The value of `kind`.
            pub const fn kind_name(&self) -> &'static str {
                match self {
                    #(Self::#names { .. } => #kinds,)*
                }
            }
        }
    })
}

fn arm(variant: &Variant) -> Result<Arm> {
    let name = &variant.ident;
    let title = Title::of(name, &variant.attrs, &snake_case(&name.to_string()))?;
    let kind = title.kind.clone();
    if let Fields::Unnamed(fields) = &variant.fields {
        let held = &fields.unnamed.first().ok_or_else(|| Error::new_spanned(variant, "an empty variant"))?.ty;
        let own = title.declaration(&quote! { ::std::vec::Vec::new() }, &quote! { ::core::option::Option::None });
        return Ok(Arm {
            declaration: quote! { #own.holding(<#held as ::airlink_model::types::declare::Section>::declaration()) },
            read: quote! { <#held as ::airlink_model::types::declare::Section>::read_fields(table).map(Self::#name) },
            write: write_arm(
                &quote! { Self::#name(held) },
                &kind,
                &quote! {
                    <#held as ::airlink_model::types::declare::Section>::write_fields(held, fields);
                },
            ),
            kind,
        });
    }
    let declared = Declared::of(&variant.fields)?;
    let constants = if declared.names.is_empty() {
        quote! {}
    } else {
        declared.constants()
    };
    let declaration = title.declaration(&declared.members(), &quote! { ::core::option::Option::None });
    let (names, reads, writes) = (&declared.names, declared.reads(), declared.writes());
    Ok(Arm {
        declaration: quote! {{ #constants #declaration }},
        read: quote! {{
            #constants
            #reads
            ::core::option::Option::Some(Self::#name { #(#names: #names?),* })
        }},
        write: write_arm(&quote! { Self::#name { #(#names),* } }, &kind, &quote! { #constants #writes }),
        kind,
    })
}

fn write_arm(pattern: &TokenStream, kind: &str, writes: &TokenStream) -> TokenStream {
    quote! {
        #pattern => {
            fields.push((
                ::std::borrow::ToOwned::to_owned("kind"),
                ::airlink_model::types::declare::Value::Text(::std::borrow::ToOwned::to_owned(#kind)),
            ));
            #writes
        }
    }
}
