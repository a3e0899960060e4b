//! From text to tokens: `html5gum`'s tokenizer drives html5ever's tree builder.
//!
//! html5ever's own tokenizer compares each attribute of a tag with all before it,
//! within a tag that may be as long as the page, and cannot be stopped there. This
//! one hands out attributes singly, so their number is bounded, and it stops as
//! soon as the tree has cost more than it may.

use html5ever::interface::{Attribute, QualName};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Doctype, Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{LocalName, ns};
use html5gum::emitters::callback::{Callback, CallbackEmitter, CallbackEvent};
use html5gum::{Emitter, ForwardingEmitter, Span, State, Tokenizer};

use super::tree::{NodeId, Tree};

/// Attributes kept of one element besides those in [`READ`].
const MOST_ATTRIBUTES: usize = 30;
/// Attributes by which the tree is built or from which something is read; they are
/// kept however many others stand before them.
const READ: [&str; 18] = [
    "action",
    "alt",
    "class",
    "color",
    "content",
    "encoding",
    "face",
    "form",
    "href",
    "id",
    "lang",
    "method",
    "name",
    "placeholder",
    "size",
    "type",
    "value",
    "xlink:href",
];
/// Elements that the tree builder compares with all open ones of their kind; `a` and
/// `nobr` are not, as the next of them ends the one before.
const FORMATTING: [&str; 12] = [
    "b", "big", "code", "em", "font", "i", "s", "small", "strike", "strong", "tt", "u",
];

type Builder = TreeBuilder<NodeId, Tree>;

/// Builds the tree of a page; also says whether it was cut off because its tree
/// costs too much.
pub(super) fn build(html: &str) -> (Tree, bool) {
    let builder = Builder::new(Tree::default(), TreeBuilderOpts::default());
    let emitter = TreeEmitter(CallbackEmitter::new(Bridge {
        builder: &builder,
        tag: None,
        is_kept: false,
        next_state: None,
        formatting: 0,
    }));
    let cut_off = Tokenizer::new_with_emitter(html, emitter).next().is_some();
    if cut_off {
        end(&builder);
    }
    (builder.sink, cut_off)
}

fn end(builder: &Builder) {
    let _ = builder.process_token(Token::EOFToken, 0);
    builder.end();
}

/// Said when the tree costs too much.
struct CutOff;

/// Puts the tokenizer's events together to the tree builder's tokens.
struct Bridge<'a> {
    builder: &'a Builder,
    tag: Option<Tag>,
    /// Whether the attribute just named is one that is kept.
    is_kept: bool,
    /// What the tree builder wants to be read next, after a tag such as `script`.
    next_state: Option<State>,
    /// Formatting elements begun and not ended, at least.
    formatting: u64,
}

impl Bridge<'_> {
    fn token(&mut self, token: Token) {
        match self.builder.process_token(token, 0) {
            TokenSinkResult::Continue | TokenSinkResult::EncodingIndicator(_) => {}
            TokenSinkResult::Script(_) => self.next_state = Some(State::Data),
            TokenSinkResult::Plaintext => self.next_state = Some(State::PlainText),
            TokenSinkResult::RawData(kind) => {
                self.next_state = Some(match kind {
                    RawKind::Rcdata => State::RcData,
                    RawKind::Rawtext => State::RawText,
                    RawKind::ScriptData | RawKind::ScriptDataEscaped(_) => State::ScriptData,
                });
            }
        }
    }

    fn attribute(&mut self, name: &[u8]) {
        let Some(tag) = &mut self.tag else {
            return; // of an end tag
        };
        let name = String::from_utf8_lossy(name);
        let attributes = &mut tag.attrs;
        let is_wanted = attributes.len() < MOST_ATTRIBUTES || READ.contains(&&*name);
        self.is_kept = is_wanted && attributes.iter().all(|old| *old.name.local != *name);
        if self.is_kept {
            attributes.push(Attribute {
                name: QualName::new(None, ns!(), LocalName::from(&*name)),
                value: StrTendril::new(),
            });
        }
    }

    fn value(&mut self, value: &[u8]) {
        let attribute = self.tag.as_mut().and_then(|tag| tag.attrs.last_mut());
        if let Some(attribute) = attribute.filter(|_| self.is_kept) {
            attribute.value.push_slice(&String::from_utf8_lossy(value));
        }
    }

    fn text(&mut self, text: &[u8]) {
        for (number, part) in text.split(|&byte| byte == 0).enumerate() {
            if number > 0 {
                self.token(Token::NullCharacterToken);
            }
            self.token(Token::CharacterTokens(tendril(part)));
        }
    }

    fn tag(&mut self, tag: Tag) {
        if FORMATTING.contains(&&*tag.name) {
            if tag.kind == TagKind::StartTag {
                let attributes = tag.attrs.len() as u64;
                self.builder.sink.charge(self.formatting * (attributes + 1));
                self.formatting += 1;
            } else {
                self.formatting = self.formatting.saturating_sub(1);
            }
        }
        self.token(Token::TagToken(tag));
    }
}

impl Callback<CutOff, ()> for Bridge<'_> {
    fn handle_event(&mut self, event: CallbackEvent<'_>, _: Span<()>) -> Option<CutOff> {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.tag = Some(tag(TagKind::StartTag, name));
                return None;
            }
            CallbackEvent::AttributeName { name } => self.attribute(name),
            CallbackEvent::AttributeValue { value } => self.value(value),
            CallbackEvent::CloseStartTag { self_closing } => {
                if let Some(mut tag) = self.tag.take() {
                    tag.self_closing = self_closing;
                    self.tag(tag);
                }
            }
            CallbackEvent::EndTag { name } => self.tag(tag(TagKind::EndTag, name)),
            CallbackEvent::String { value } => self.text(value),
            CallbackEvent::Comment { value } => self.token(Token::CommentToken(tendril(value))),
            CallbackEvent::Doctype {
                name,
                public_identifier,
                system_identifier,
                force_quirks,
            } => self.token(Token::DoctypeToken(Doctype {
                name: (!name.is_empty()).then(|| tendril(name)),
                public_id: public_identifier.map(tendril),
                system_id: system_identifier.map(tendril),
                force_quirks,
            })),
            CallbackEvent::Error(_) => {}
        }
        self.builder.sink.is_over_limit().then_some(CutOff)
    }
}

fn tag(kind: TagKind, name: &[u8]) -> Tag {
    Tag {
        kind,
        name: LocalName::from(&*String::from_utf8_lossy(name)),
        self_closing: false,
        attrs: Vec::new(),
        had_duplicate_attributes: false,
    }
}

fn tendril(text: &[u8]) -> StrTendril {
    StrTendril::from_slice(&String::from_utf8_lossy(text))
}

/// What the tokenizer asks and tells besides tokens.
struct TreeEmitter<'a>(CallbackEmitter<Bridge<'a>, CutOff>);

impl ForwardingEmitter for TreeEmitter<'_> {
    type Token = CutOff;

    fn inner(&mut self) -> &mut impl Emitter<Token = Self::Token> {
        &mut self.0
    }

    fn emit_eof(&mut self) {
        self.0.emit_eof();
        end(self.0.callback_mut().builder);
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        let _ = self.0.emit_current_tag();
        self.0.callback_mut().next_state.take()
    }

    fn should_emit_errors(&mut self) -> bool {
        false
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        let builder = self.0.callback_mut().builder;
        builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}
