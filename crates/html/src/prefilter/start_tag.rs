//! Start tags: those that pass, without unused attributes, and those that are left out, some
//! together with their elements.

use super::super::css::HidingMethod;
use super::super::dom::{self, ElementKind};
use super::super::tag;
use super::super::tag::TagAttribute;
use super::super::{listing, react_streaming};
use super::visibility::TagVisibility;
use super::{
    MAX_KNOWN_NAME_BYTES, PageFilter, TagCategory, content_hints, controls, is_verbatim,
    known_name, line_numbers, memchr, name_without_prefix, renamed, shadow_root, used_attributes,
};
use iki_markdown::entities;

/// Ends of the words that begin with "tab" in the names of custom elements with tabs.
const TAB_WORDS: [&str; 6] = ["", "s", "group", "panel", "panels", "set"];

/// Maximum number of attributes that are kept because their element is hidden.
const MAX_USED_OF_HIDDEN: usize = 4;

/// Length of the shortest tag of a drawing with a label, in bytes.
const MIN_LABELLED_BYTES: usize = "<i role=img aria-label=1>".len();

/// An attribute that hides its element.
const HIDDEN: TagAttribute<'static> = TagAttribute {
    name: "hidden",
    value: "",
};

/// A start tag as it is emitted.
pub(super) struct StartTag<'a> {
    /// The name in the page's spelling.
    pub(super) name: &'a str,
    /// Byte offset after the tag.
    pub(super) end: usize,
    /// True if it ends in `/>`.
    pub(super) closed: bool,
    /// True if it hides its element.
    pub(super) hides: bool,
    /// The attributes that the conversion uses.
    pub(super) attributes: Vec<TagAttribute<'a>>,
}

impl<'a> PageFilter<'a> {
    /// Reads the start tag at `offset`; returns the offset after it, or after its element.
    pub(super) fn start_tag(&mut self, offset: usize) -> usize {
        let mut space = [0; MAX_KNOWN_NAME_BYTES];
        let end = tag::name_end(self.page, offset + 1);
        let name = known_name(&self.page[offset + 1..end], &mut space);
        if self.foreign > 0
            && let Some(end) = self.foreign_start(offset, name)
        {
            return end;
        }
        let name = name_without_prefix(name);
        let category = self.category_of(name);
        let in_pre = self
            .tree
            .top()
            .is_some_and(|open| open.name.eq_ignore_ascii_case("pre"));
        let Some(mut tag) = self.read_start(offset, name, category, in_pre) else {
            return self.page.len();
        };
        self.note_picture(offset, name, &mut tag);
        if name == "noscript"
            && self.noscript <= offset
            && let Some((image, end)) = self.image_of_noscript(offset)
        {
            self.start_tag(image);
            return end;
        }
        if name == "noscript" && category == TagCategory::Form && self.noscript <= offset {
            self.noscript = tag::raw_end(self.page, tag.end, name).0;
        }
        if (controls::runs_together(self.page, offset, name)
            || controls::is_set_apart(self.page, offset, tag.end, name))
            && !self.tree.is_code()
        {
            // The choice of main content measures the page's own text, without this space.
            let space = if self.keeps_all {
                controls::BOX_SPACE
            } else {
                " "
            };
            self.out.push_characters(space);
        }
        if let Some(end) = self.replace_start(offset, name, category, &tag) {
            return end;
        }
        // An element that is left out whole leaves no trace.
        self.is_at_line_start &= matches!(category, TagCategory::Raw | TagCategory::Template);
        let empty = self.xml && tag.closed;
        match category {
            category if empty && category.ends_by_name() => tag.end,
            TagCategory::Area if empty => self.part_words(tag.end),
            TagCategory::Raw => self.raw_end(tag.end, name).1,
            TagCategory::Template => self.template_end(tag.end),
            TagCategory::Media => self.replace_media(offset, name, tag),
            TagCategory::Title => self.emit_raw_text(&tag, "title", "title", &[]),
            TagCategory::Area if tag.hides => {
                let (_, end) = self.raw_end(tag.end, name);
                self.part_words(end)
            }
            TagCategory::Area => self.emit_textarea(&tag),
            TagCategory::Xmp => self.emit_raw_text(&tag, name, "pre", &[]),
            TagCategory::Foreign => {
                self.enter_foreign(offset, name);
                tag.end
            }
            // An `<option>` contains only text.
            TagCategory::Choice if name == "option" && tag.hides => {
                let end = memchr(b'<', &self.page.as_bytes()[tag.end..]);
                let end = end.map_or(self.page.len(), |length| tag.end + length);
                self.part_words(end)
            }
            TagCategory::Choice if tag.hides || (self.keeps_all && name == "select") => {
                self.pass_start(name, category, tag)
            }
            TagCategory::Choice => self.part_words(tag.end),
            TagCategory::Empty if tag.attributes.is_empty() => tag.end,
            _ if category.is_table_part() && !self.tree.in_table() => self.part_words(tag.end),
            TagCategory::Cell if !tag.hides && !empty => {
                let end = self.pass_start(name, category, tag);
                self.name_icon(offset).unwrap_or(end)
            }
            TagCategory::Formatting if !self.tree.formats() => tag.end,
            // Most often an icon.
            TagCategory::Formatting if name != "a" && self.ends_at_once(&tag) => {
                tag::past(self.page, tag.end, b'>')
            }
            TagCategory::Plain
                if tag.attributes.is_empty() && self.is_silent(offset, name, in_pre) =>
            {
                if !empty {
                    self.tree.start_silent(tag.name, category);
                }
                tag.end
            }
            TagCategory::Styled if tag.attributes.is_empty() => {
                if !empty && let Some(name) = renamed(name) {
                    self.tree.start_silent(name, TagCategory::Plain);
                }
                tag.end
            }
            _ => self.pass_start(name, category, tag),
        }
    }

    /// Emits the value of an attribute instead of what ends at `end`.
    pub(super) fn emit_words(&mut self, value: &str, end: usize) -> usize {
        self.prepare_content(value);
        self.out.push_text(value);
        end
    }

    /// Notes where a picture begins, and gives an image without an address that of its picture.
    fn note_picture(&mut self, offset: usize, name: &str, tag: &mut StartTag<'a>) {
        if name == "picture" {
            self.picture = Some(offset);
        } else if name == "img" {
            let picture = self
                .picture
                .take()
                .filter(|_| !tag.attributes.iter().any(used_attributes::is_address));
            tag.attributes
                .extend(picture.and_then(|picture| self.source_of_picture(picture, offset)));
        }
    }

    /// The addresses of the first source of the picture at `start`, if its image at `end` has only
    /// a placeholder.
    fn source_of_picture(&self, start: usize, end: usize) -> Option<TagAttribute<'a>> {
        let inner: &'a str = &self.page[start..end];
        if memchr::memmem::find(inner.as_bytes(), b"</picture").is_some() {
            return None;
        }
        memchr::memmem::find_iter(inner.as_bytes(), b"<source").find_map(|offset| {
            let source = tag::read(inner, offset + 1)?;
            let value = source.get("srcset").or_else(|| source.get("data-srcset"))?;
            let name = "srcset";
            (!tag::is_data(value)).then_some(TagAttribute { name, value })
        })
    }

    /// Emits a space instead of what ends at `end`.
    pub(super) fn part_words(&mut self, end: usize) -> usize {
        self.out.push_characters(" ");
        end
    }

    /// Replaces a start tag or its whole element; `None` if it stays.
    fn replace_start(
        &mut self,
        offset: usize,
        name: &str,
        category: TagCategory,
        tag: &StartTag<'a>,
    ) -> Option<usize> {
        if matches!(name, "span" | "div")
            && let Some(end) = self.show_letters(offset, tag)
        {
            return Some(end);
        }
        let page = self.page.as_bytes();
        // Most elements have short tags, and are many.
        if !tag.hides
            && tag.end - offset >= MIN_LABELLED_BYTES
            && matches!(name, "span" | "div" | "i")
            && memchr::memmem::find(&page[offset..tag.end], b"aria-label").is_some()
            && !self.tree.is_verbatim()
            && let Some((label, end)) = controls::label_of_drawing(self.page, offset)
        {
            return Some(self.emit_words(label, end));
        }
        match category {
            TagCategory::Template if shadow_root::is_shadow_root(self.page, offset) => {
                Some(self.part_words(tag.end))
            }
            TagCategory::Template
                if self.is_streamed && tag.attributes.iter().any(is_of_stream) =>
            {
                self.out.start(name, &tag.attributes);
                self.out.end(name);
                None
            }
            TagCategory::Foreign if name == "math" && !tag.hides => {
                let (formula, end) = self.formula_within(offset, tag)?;
                Some(self.emit_formula(&formula, end))
            }
            TagCategory::Raw if name == "script" => self.replace_formula_script(offset, tag),
            TagCategory::Plain if name == "annotation" => self.replace_annotation(offset),
            TagCategory::Void if name == "img" => {
                let formula = self.formula_of_image(offset)?;
                Some(self.emit_formula(&entities::decoded_in_text(formula), tag.end))
            }
            TagCategory::Void if name == "input" && !tag.hides => {
                let mut around = self.tree.innermost().take(2);
                let in_label = around.any(|open| open.name.eq_ignore_ascii_case("label"));
                drop(around);
                let value = controls::shown_value(self.page, offset, in_label)?;
                Some(self.emit_words(value, tag.end))
            }
            _ if self.tree.is_verbatim()
                || (name == "a"
                    && memchr::memmem::find(&self.page.as_bytes()[offset..tag.end], b"line")
                        .is_some()) =>
            {
                let in_code = self.tree.is_verbatim();
                line_numbers::skip_line_number(self.page, offset, name, in_code)
            }
            _ => None,
        }
    }

    /// Reads the start tag at `offset` with its used attributes; `None` if the page ends within it.
    fn read_start(
        &mut self,
        offset: usize,
        name: &str,
        category: TagCategory,
        in_pre: bool,
    ) -> Option<StartTag<'a>> {
        let page = self.page;
        let calls = self.keeps_all && category.holds_content();
        let seen = category == TagCategory::Root;
        let mut visibility = TagVisibility::new(name, category, self.may_be_dim);
        let name_end = tag::name_end(page, offset + 1);
        let mut attributes: Vec<TagAttribute<'a>> = Vec::new();
        // The attributes with which a page offers to show a hidden element.
        let mut unseen_attributes: Vec<TagAttribute<'a>> = Vec::new();
        let (end, closed) = tag::scan(page, name_end, |attribute| {
            let TagAttribute {
                name: called,
                value,
            } = attribute;
            let mut space = [0; used_attributes::MAX_USED_NAME_BYTES];
            let known = known_name(called, &mut space);
            let used = match visibility.read_attribute(known, value).filter(|_| !seen) {
                Some(used) => used,
                None => {
                    (!seen && used_attributes::is_used(name, in_pre, known, value))
                        || (calls && content_hints::names_element(known))
                        || (self.is_streamed && is_of_stream(&attribute))
                        || self
                            .section
                            .as_deref()
                            .is_some_and(|id| dom::names_section(name, known, value, id))
                }
            };
            if value.len() > tag::MAX_VALUE_BYTES {
                return;
            }
            if used {
                attributes.push(attribute);
            } else if dom::lists(used_attributes::USED_OF_HIDDEN, known)
                && unseen_attributes.len() < MAX_USED_OF_HIDDEN
            {
                unseen_attributes.push(attribute);
            }
        })?;
        let mut hiding = visibility.hiding().filter(|_| !seen);
        if name == "img" {
            // Images fade in when they are loaded.
            hiding = hiding.filter(|hiding| *hiding != HidingMethod::Faded);
        }
        if hiding == Some(HidingMethod::Removed) && self.is_in_tabs(&page[offset + 1..name_end]) {
            hiding = None;
        }
        let copies = controls::is_copy_button(page, offset, name, end)
            || (matches!(name, "div" | "span") && self.is_drawn_formula(offset, end));
        if copies {
            attributes.push(HIDDEN);
        }
        let hides = !seen && (hiding.is_some() || visibility.is_plainly_hidden || copies);
        self.may_be_dim |= visibility.dims && !seen;
        if hides || (visibility.dims && !seen) {
            attributes.extend(unseen_attributes);
        }
        let align = visibility.align.filter(|_| category == TagCategory::Cell);
        for (name, value) in [
            (dom::HIDING, hiding.map(HidingMethod::name)),
            ("align", align),
        ] {
            if let Some(value) = value {
                attributes.insert(0, TagAttribute { name, value });
            }
        }
        Some(StartTag {
            name: &page[offset + 1..name_end],
            end,
            closed,
            hides,
            attributes,
        })
    }

    /// True for the panel of a custom element with tabs, whose script shows it: `tab-panel`, or a
    /// child or grandchild of `x-tabs`.
    fn is_in_tabs(&self, name: &str) -> bool {
        let is_tabs = |name: &str| {
            name.contains('-')
                && name.split('-').any(|word| {
                    let tab = word
                        .get(..3)
                        .is_some_and(|tab| tab.eq_ignore_ascii_case("tab"));
                    tab && TAB_WORDS
                        .iter()
                        .any(|end| word[3..].eq_ignore_ascii_case(end))
                })
        };
        is_tabs(name) || self.tree.innermost().take(2).any(|open| is_tabs(open.name))
    }

    /// True if an element is empty and can be left out. The parser drops a newline directly after
    /// `<pre>`, so nothing may be left out in between.
    fn ends_at_once(&self, tag: &StartTag<'a>) -> bool {
        !self.xml
            && !self.tree.is_verbatim()
            && tag::names_end(self.page, tag.end, tag.name).is_some()
    }

    /// True if an element's tags have no meaning and can be left out. The parser drops a newline
    /// directly after `<pre>`, so nothing may be left out in between.
    fn is_silent(&self, offset: usize, name: &str, in_pre: bool) -> bool {
        let after_pre = in_pre && self.page[..offset].ends_with('>');
        dom::kind_of(name) == ElementKind::Inline
            && name != "ruby"
            && !(self.may_be_dim && name == "mark")
            && !after_pre
            && self.foreign == 0
            && (!self.keeps_all || dom::is_inline(name))
    }

    /// Emits a start tag.
    pub(super) fn pass_start(
        &mut self,
        name: &str,
        category: TagCategory,
        mut tag: StartTag<'a>,
    ) -> usize {
        self.tree.before_start(name, category, &mut self.out);
        if !category.is_table_part() && !self.tree.is_settled() {
            let block = category.ends_paragraph() || category == TagCategory::Table;
            self.tree.before_content(block, &mut self.out);
        }
        if category == TagCategory::Formatting && !self.tree.formats() {
            return tag.end;
        }
        if self.keeps_all {
            tag.attributes.retain_mut(content_hints::shorten);
            if category == TagCategory::Form {
                tag.attributes.push(content_hints::original_name(tag.name));
            }
        }
        let renamed = match category {
            TagCategory::Form => Some("div"),
            TagCategory::Empty => Some("span"),
            TagCategory::Styled | TagCategory::Choice => renamed(name),
            TagCategory::Void if name == "img" => Some("img"),
            _ => None,
        };
        let opened = renamed.unwrap_or(tag.name);
        match category {
            TagCategory::Void | TagCategory::Rule | TagCategory::Root => {
                self.out.start(opened, &tag.attributes);
                return tag.end;
            }
            TagCategory::Empty => {
                self.out.start(opened, &tag.attributes);
                self.out.end(opened);
                return tag.end;
            }
            TagCategory::Form if name == "datalist" => tag.attributes.push(HIDDEN),
            _ => {}
        }
        let category = match category {
            TagCategory::Styled | TagCategory::Choice => TagCategory::Plain,
            TagCategory::Form => TagCategory::Block,
            category => category,
        };
        self.tree.start(opened, category, &mut self.out);
        self.out.start(opened, &tag.attributes);
        if tag.hides {
            self.tree.hide_top();
        }
        if is_verbatim(name) || is_listing(name, &tag) {
            self.tree.keep_whitespace();
        }
        self.note_line_start(category, name, true);
        if self.xml && tag.closed {
            // The parser ignores the slash.
            self.tree.end(opened, category, &mut self.out);
            self.out.end(opened);
        }
        tag.end
    }
}

/// True for the id of a slot or of content that React streams late.
fn is_of_stream(attribute: &TagAttribute<'_>) -> bool {
    attribute.name.eq_ignore_ascii_case("id") && react_streaming::names_part(attribute.value)
}

/// True if the kept class of an element says that its text is code.
fn is_listing(name: &str, tag: &StartTag<'_>) -> bool {
    let is_class = |attribute: &&TagAttribute<'_>| attribute.name.eq_ignore_ascii_case("class");
    let class = tag.attributes.iter().find(is_class);
    class.is_some_and(|class| listing::is_listing(name, class.value.trim()))
}
