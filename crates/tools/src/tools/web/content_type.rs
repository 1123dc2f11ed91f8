//! The form of a text: by its Content-Type, and if that is unspecific, by the extension in its URL.

use url::Url;

use super::page_source::media_type;
use iki_web::body_text::BodyKind;

/// Form of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextForm {
    Html,
    Markdown,
    Text,
    Json,
    Xml,
}

impl TextForm {
    /// Returns its name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Markdown => "markdown",
            Self::Text => "text",
            Self::Json => "json",
            Self::Xml => "xml",
        }
    }

    /// Determines the form of a body of this kind, with this Content-Type, at this URL.
    pub fn for_body(kind: BodyKind, content_type: Option<&str>, url: &Url) -> Self {
        if kind == BodyKind::Html {
            return Self::Html;
        }
        let essence = content_type.map(media_type).unwrap_or_default();
        // A body that is served as HTML and is not HTML is JSON.
        Self::by_type(&essence)
            .map(|form| if form == Self::Html { Self::Json } else { form })
            .or_else(|| says_something(&essence).then_some(Self::Text))
            .or_else(|| Self::by_ending(url.path()))
            .unwrap_or(Self::Text)
    }

    fn by_type(essence: &str) -> Option<Self> {
        let (_, sub) = essence.split_once('/')?;
        let sub = sub.strip_prefix("x-").unwrap_or(sub);
        Some(match sub {
            "html" | "xhtml+xml" => Self::Html,
            "markdown" => Self::Markdown,
            "json" | "json-seq" | "json5" | "jsonl" | "jsonlines" | "ndjson" => Self::Json,
            "xml" | "xml-dtd" => Self::Xml,
            sub if sub.ends_with("+json") || sub.ends_with("+json-seq") => Self::Json,
            sub if sub.ends_with("+xml") => Self::Xml,
            _ => return None,
        })
    }

    fn by_ending(path: &str) -> Option<Self> {
        let (_, ending) = path.strip_suffix(".gz").unwrap_or(path).rsplit_once('.')?;
        Some(match ending.to_ascii_lowercase().as_str() {
            "html" | "htm" | "xhtml" => Self::Html,
            "md" | "markdown" => Self::Markdown,
            "json" | "jsonl" | "ndjson" | "geojson" => Self::Json,
            "xml" | "xsl" | "xsd" | "svg" => Self::Xml,
            _ => return None,
        })
    }
}

/// False for a media type that servers give to any file.
fn says_something(essence: &str) -> bool {
    let main = essence.split_once('/').map(|(main, _)| main);
    main.is_some_and(|main| main == "text") || TextForm::by_type(essence).is_some()
}

/// Returns the title of a Markdown text: its first line, if that is a heading of the first level.
pub fn title_of_markdown(text: &str) -> Option<String> {
    let first = text.trim_start().lines().next()?;
    let title = first
        .strip_prefix("# ")?
        .trim()
        .trim_end_matches('#')
        .trim_end();
    (!title.is_empty()).then(|| title.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_tells_what_a_text_is_and_else_the_ending() {
        for (content_type, path, expected) in [
            (
                Some("text/markdown; charset=utf-8"),
                "/a",
                TextForm::Markdown,
            ),
            (Some("TEXT/X-Markdown"), "/a.json", TextForm::Markdown),
            (Some("application/ld+json"), "/a", TextForm::Json),
            (Some("application/x-ndjson"), "/a", TextForm::Json),
            (Some("image/svg+xml"), "/a", TextForm::Xml),
            (Some("text/xml"), "/a", TextForm::Xml),
            (Some("text/plain"), "/README.md", TextForm::Text),
            (Some("text/csv"), "/a.json", TextForm::Text),
            (
                Some("application/octet-stream"),
                "/README.md",
                TextForm::Markdown,
            ),
            (Some("application/octet-stream"), "/a.bin", TextForm::Text),
            (None, "/a.JSON", TextForm::Json),
            (None, "/a.md.gz", TextForm::Markdown),
            (None, "/a", TextForm::Text),
        ] {
            let url = Url::parse(&format!("http://a.example{path}")).unwrap();
            let form = TextForm::for_body(BodyKind::Text, content_type, &url);
            assert_eq!(form, expected, "{content_type:?} {path}");
        }
    }

    #[test]
    fn a_markdown_text_has_the_title_that_it_begins_with() {
        let title = |text| title_of_markdown(text);
        assert_eq!(title("\n# A title #\n\ntext").as_deref(), Some("A title"));
        assert_eq!(title("text\n# Later"), None);
        assert_eq!(title("## Second"), None);
    }
}
