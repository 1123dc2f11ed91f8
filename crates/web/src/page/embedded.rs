//! Declarations of a page, parsed once: its `meta` elements and its JSON-LD, for the other modules
//! and as [`StructuredData`].

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::json_ld;
use iki_base::wording::{beginning, on_one_line};
use iki_document::{self as document, MetaElement};

/// Maximum number of JSON-LD blocks that are returned.
const MAX_BLOCKS: usize = 16;

/// Maximum length of these blocks, in bytes.
const MAX_BLOCK_BYTES: usize = 32 * 1024;

/// Maximum length of all these blocks, in bytes.
const MAX_BLOCKS_BYTES: usize = 64 * 1024;

/// Maximum length of all blocks that are parsed for facts, in bytes. That of a forum thread is
/// longer than the blocks that are returned.
const MAX_READ_BYTES: usize = 256 * 1024;

/// Maximum number of entries of a map.
const MAX_ENTRIES: usize = 64;

/// Maximum length of all values of a map, in bytes.
const MAX_ENTRIES_BYTES: usize = 64 * 1024;

/// Maximum length of a value that is used for facts, in bytes.
const MAX_VALUE_BYTES: usize = 2000;

/// Declarations of a page.
#[derive(Debug, Default)]
pub struct EmbeddedData {
    title: String,
    metas: Vec<MetaElement>,
    byline: Vec<String>,
    published: Option<String>,
    blocks: Vec<Box<RawValue>>,
    read: Vec<Value>,
}

/// Machine-readable declarations of a page, unchanged; see [`EmbeddedData::structured_data`].
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StructuredData {
    /// Blocks of JSON-LD, each on one line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub json_ld: Vec<Box<RawValue>>,
    /// Values of `og:*` and `article:*`; a list for a repeated name.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub open_graph: Map<String, Value>,
    /// Values of `citation_*`; a list for a repeated name.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub citation: Map<String, Value>,
}

impl EmbeddedData {
    /// Parses the declarations of a page, in one pass and with bounded memory.
    #[must_use]
    pub fn read(html: &str) -> Self {
        let declared = document::read_declared(html);
        let mut blocks = Vec::new();
        let mut read = Vec::new();
        let (mut given, mut length) = (0, 0);
        for text in declared.json_ld {
            if length + text.len() > MAX_READ_BYTES {
                continue;
            }
            length += text.len();
            let Some((block, value)) = json_ld::block(text) else {
                continue;
            };
            read.push(value);
            let size = block.get().len();
            if blocks.len() < MAX_BLOCKS
                && size <= MAX_BLOCK_BYTES
                && given + size <= MAX_BLOCKS_BYTES
            {
                given += size;
                blocks.push(block);
            }
        }
        Self {
            title: on_one_line(&declared.title),
            metas: declared.metas,
            byline: declared
                .byline
                .iter()
                .map(|name| on_one_line(name))
                .collect(),
            published: declared.published,
            blocks,
            read,
        }
    }

    /// Returns the page's title, as its `title` element has it; empty if there is none.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns the machine-readable declarations; `None` if there are none.
    #[must_use]
    pub fn structured_data(&self) -> Option<StructuredData> {
        let data = StructuredData {
            json_ld: self.blocks.clone(),
            open_graph: self.map(|name| name.starts_with("og:") || name.starts_with("article:")),
            citation: self.map(|name| name.starts_with("citation_")),
        };
        let empty =
            data.json_ld.is_empty() && data.open_graph.is_empty() && data.citation.is_empty();
        (!empty).then_some(data)
    }

    /// Collects the contents of the `meta` elements with a `wanted` name.
    fn map(&self, wanted: impl Fn(&str) -> bool) -> Map<String, Value> {
        let mut map: Map<String, Value> = Map::new();
        let mut length = 0;
        for meta in self.metas.iter().filter(|meta| wanted(&meta.name)) {
            let (name, content) = (on_one_line(&meta.name), on_one_line(&meta.content));
            if content.is_empty() || length + content.len() > MAX_ENTRIES_BYTES {
                continue;
            }
            let full = map.len() == MAX_ENTRIES;
            let content_length = content.len();
            match map.get_mut(&name) {
                None if full => continue,
                None => {
                    map.insert(name, Value::String(content));
                }
                Some(Value::Array(list)) => list.push(Value::String(content)),
                Some(first) => {
                    *first = Value::Array(vec![first.take(), Value::String(content)]);
                }
            }
            length += content_length;
        }
        map
    }

    /// Returns the content of the first `meta` element with one of these names, which have blanks
    /// between them, the first name first.
    pub(super) fn meta(&self, names: &str) -> Option<String> {
        names.split(' ').find_map(|name| self.metas(name).next())
    }

    /// Returns the contents of all `meta` elements of a name, without empty ones.
    pub(super) fn metas<'a>(&'a self, name: &'a str) -> impl Iterator<Item = String> + 'a {
        self.metas
            .iter()
            .filter(move |meta| meta.name == name)
            .map(|meta| on_one_line(beginning(&meta.content, MAX_VALUE_BYTES)))
            .filter(|content| !content.is_empty())
    }

    /// True if there is a `meta` element whose name begins like that.
    pub(super) fn declares(&self, beginning: &str) -> bool {
        self.metas
            .iter()
            .any(|meta| meta.name.starts_with(beginning) && !meta.content.trim().is_empty())
    }

    /// Returns the nodes of the JSON-LD.
    pub(super) fn nodes(&self) -> Vec<&Map<String, Value>> {
        json_ld::nodes(&self.read)
    }

    pub(super) fn byline(&self) -> &[String] {
        &self.byline
    }

    pub(super) fn published(&self) -> Option<&str> {
        self.published.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn data(html: &str) -> Value {
        let data = EmbeddedData::read(html).structured_data();
        serde_json::to_value(data).unwrap()
    }

    #[test]
    fn structured_data_is_what_the_page_declares() {
        let html = "<meta property=og:title content='A &amp; B'><meta name=og:type \
                    content=article><meta property=article:tag content=x><meta \
                    property=article:tag content=y><meta property=article:tag content=z><meta \
                    name=citation_title content=T><meta name=citation_author content='Doe, \
                    Jane'><meta name=citation_author content='Roe, \u{202e}Richard\n X'><meta \
                    name=description content=no><meta property=og:image content=''><script \
                    type=application/ld+json>{ \"@type\" : \"Article\" }</script><script \
                    type=application/ld+json>{ broken }</script>";
        assert_eq!(
            data(html),
            json!({
                "jsonLd": [{"@type": "Article"}],
                "openGraph": {
                    "og:title": "A & B", "og:type": "article", "article:tag": ["x", "y", "z"],
                },
                "citation": {
                    "citation_title": "T", "citation_author": ["Doe, Jane", "Roe, Richard X"],
                },
            })
        );
    }

    #[test]
    fn what_is_not_there_is_absent() {
        assert_eq!(
            data("<title>x</title><meta name=author content=y>"),
            Value::Null
        );
        assert_eq!(
            data("<meta property=og:a content=b>"),
            json!({"openGraph": {"og:a": "b"}})
        );
        assert_eq!(
            data("<script type=application/ld+json>{</script>"),
            Value::Null
        );
    }

    #[test]
    fn a_block_is_verbatim_and_the_answer_one_line() {
        let html = "<script type=application/ld+json>\n{\n \"z\": 1.50,\n \"a\": \
                    \"\\u00e9\"\n}\n</script>";
        let data = EmbeddedData::read(html).structured_data();
        let text = serde_json::to_string(&data).unwrap();
        assert_eq!(text, r#"{"jsonLd":[{"z":1.50,"a":"\u00e9"}]}"#);
    }

    #[test]
    fn blocks_and_entries_have_their_limits() {
        let script = |json: &str| format!("<script type=application/ld+json>{json}</script>");
        let blocks = |html: &str| data(html)["jsonLd"].as_array().map_or(0, Vec::len);
        assert_eq!(blocks(&script("1").repeat(40)), 16);
        let string = |length: usize| script(&format!("\"{}\"", "x".repeat(length - 2)));
        assert_eq!(blocks(&string(32 * 1024)), 1);
        assert_eq!(blocks(&(string(32 * 1024 + 1) + &string(5))), 1);
        assert_eq!(blocks(&string(32 * 1024).repeat(3)), 2);
        assert_eq!(blocks(&(string(20 * 1024).repeat(4) + &string(9))), 4);
        let metas = (0..200).map(|number| {
            format!("<meta name=og:{number} content=x><meta name=citation_{number} content=x>")
        });
        let metas = metas.collect::<Vec<_>>().concat();
        let data = data(&metas);
        assert_eq!(data["openGraph"].as_object().unwrap().len(), 64);
        assert_eq!(data["citation"].as_object().unwrap().len(), 64);
        let long = format!("<meta name=og:a content='{}'>", "x".repeat(8192)).repeat(50);
        let data = self::data(&long);
        assert_eq!(data["openGraph"]["og:a"].as_array().unwrap().len(), 8);
    }
}
