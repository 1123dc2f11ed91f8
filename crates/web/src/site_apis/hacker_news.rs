//! Hacker News by its API: an item with its first comments, a list of stories, a user.
//!
//! Facts: the documentation of the API at Firebase (`HackerNews/API`). Users write HTML, and each
//! text is parsed as a document of its own.

mod item;

use std::fmt::Write as _;
use std::time::Instant;

use serde_json::Value;
use url::Url;

use item::{first_paragraph, ids, is_there, list_entry, points, summary};

use super::{
    MAX_TEXT_BYTES, SiteApiError, SiteApiPage, address_of, base, day_and_minute, escaped, get,
    markdown, name_of, number, single_line,
};
use crate::client::{FetchError, HttpClient};
use crate::credentials::Credentials;
use iki_base::parallel::map_in_parallel;
use iki_base::wording::{beginning, count_noun, counted_as};
use iki_document::Document;

/// Base URL of the API.
const API: &str = "https://hacker-news.firebaseio.com/v0";

/// Environment variable that replaces [`API`].
const VARIABLE: &str = "IKIGAI_HN_URL";

/// Base URL of the site itself.
const SITE: &str = "https://news.ycombinator.com/";

/// Maximum number of comments, submissions and poll options shown.
const MAX_CHILDREN: usize = 10;

/// Number of stories on a page of a list.
const PAGE_STORIES: usize = 30;

/// Highest page number of a list.
const LAST_PAGE: u64 = 20;

/// Number of items requested at the same time.
const MAX_CONCURRENT_ITEMS: usize = 10;

/// Part of Hacker News that a URL leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HnRoute {
    /// A story, a comment, a job, a poll.
    Item(u64),
    /// A list of stories: its name in the API, and the page, counted from 0.
    List(&'static str, usize),
    /// A user.
    User(String),
}

/// Lists of stories: path on the site, name in the API, title.
const LISTS: [(&str, &str, &str); 8] = [
    ("/", "topstories", "Top stories"),
    ("/news", "topstories", "Top stories"),
    ("/front", "topstories", "Top stories"),
    ("/newest", "newstories", "New stories"),
    ("/best", "beststories", "Best stories"),
    ("/ask", "askstories", "Ask HN"),
    ("/show", "showstories", "Show HN"),
    ("/jobs", "jobstories", "Jobs"),
];

impl HnRoute {
    /// Returns the part of the site at `url`; `None` for any other page.
    pub(super) fn for_url(host: &str, url: &Url) -> Option<Self> {
        if !host.eq_ignore_ascii_case("news.ycombinator.com") {
            return None;
        }
        let parameter = |name: &str| {
            let mut pairs = url.query_pairs();
            pairs.find(|(one, _)| one == name).map(|(_, value)| value)
        };
        match url.path() {
            "/item" => {
                let id = parameter("id")?;
                let digits = id.bytes().all(|byte| byte.is_ascii_digit());
                id.parse().ok().filter(|_| digits).map(Self::Item)
            }
            "/user" => {
                let id = parameter("id")?;
                let sound = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
                let sound = (1..=32).contains(&id.len()) && id.chars().all(sound);
                sound.then(|| Self::User(id.into_owned()))
            }
            // The API has no front page of an earlier day.
            "/front" if parameter("day").is_some() => None,
            path => {
                let (_, list, _) = LISTS.iter().find(|(list_path, ..)| *list_path == path)?;
                let page = parameter("p").and_then(|page| page.parse::<u64>().ok());
                let page = page.unwrap_or(1).clamp(1, LAST_PAGE) - 1;
                Some(Self::List(list, usize::try_from(page).unwrap_or(0)))
            }
        }
    }

    pub(super) fn read(
        &self,
        client: &HttpClient,
        variables: &Credentials<'_>,
        end: Instant,
    ) -> Result<SiteApiPage, SiteApiError> {
        let reader = HnReader {
            client,
            end,
            api: api(variables)?,
            site: Url::parse(SITE).map_err(|error| {
                SiteApiError::NotUnderstood(format!("{SITE} is no address: {error}."))
            })?,
        };
        match self {
            Self::Item(id) => reader.item(*id),
            Self::List(list, page) => reader.list(list, *page),
            Self::User(name) => reader.user(name),
        }
    }
}

/// Returns the base URL of the API, without a trailing slash.
fn api(variables: &Credentials<'_>) -> Result<String, FetchError> {
    let url = base(variables, VARIABLE, API)?;
    let text = url.as_str().trim_end_matches('/');
    Ok(if url.path() == "/" {
        format!("{text}/v0")
    } else {
        text.to_owned()
    })
}

struct HnReader<'a> {
    client: &'a HttpClient,
    end: Instant,
    api: String,
    site: Url,
}

/// Items that were requested, in their order, with the reasons why others are missing.
#[derive(Default)]
struct HnItems {
    values: Vec<Value>,
    failed: usize,
    why: Option<String>,
}

impl HnItems {
    /// Appends a note on the missing items, in brackets.
    fn note_missing(&self, what: &str, markdown: &mut String) {
        if let Some(why) = &self.why {
            let missing = count_noun(self.failed as u64, what);
            let _ = write!(markdown, "\n\n[{missing} could not be read: {why}.]");
        }
    }
}

impl HnReader<'_> {
    /// Returns the API's value at `path`; null if there is none.
    fn value(&self, path: &str) -> Result<Value, SiteApiError> {
        let address = format!("{}/{path}.json", self.api);
        let url = Url::parse(&address).map_err(|error| {
            SiteApiError::NotUnderstood(format!("{VARIABLE} makes no address: {error}."))
        })?;
        let reply = get(self.client, &url, "application/json")?;
        serde_json::from_slice(&reply.body).map_err(|_| {
            SiteApiError::NotUnderstood(
                "Hacker News' API did not answer with JSON: a proxy or a login page may have \
                 intercepted the request. Try again later."
                    .to_owned(),
            )
        })
    }

    fn item_value(&self, id: u64) -> Result<Value, SiteApiError> {
        self.value(&format!("item/{id}"))
    }

    /// Fetches these items in parallel, without those that are deleted or dead.
    fn items(&self, ids: &[u64], limit: usize) -> HnItems {
        let mut items = HnItems::default();
        let mut unread_ids = ids;
        while items.values.len() < limit && !unread_ids.is_empty() {
            let missing = limit - items.values.len();
            let (batch, after) =
                unread_ids.split_at(missing.min(MAX_CONCURRENT_ITEMS).min(unread_ids.len()));
            unread_ids = after;
            for value in map_in_parallel(batch, MAX_CONCURRENT_ITEMS, |id| self.item_value(*id)) {
                match value {
                    Ok(item) if is_there(&item) => items.values.push(item),
                    Ok(_) => {}
                    Err(error) => {
                        items.failed += 1;
                        let why = single_line(&error.to_string());
                        items.why = Some(why.trim_end_matches('.').to_owned());
                    }
                }
            }
            // If a whole batch failed, the next one would fail too.
            if items.failed == batch.len() {
                break;
            }
        }
        items
    }

    fn html(&self, html: &str) -> String {
        markdown(html, &self.site, self.end)
    }

    /// Returns a user's text as Markdown: that of an item, or of a profile.
    fn text(&self, object: &Value, field: &str) -> String {
        let text = object.get(field).and_then(Value::as_str);
        let text = text.unwrap_or_default();
        let opening = beginning(text, MAX_TEXT_BYTES);
        let mut markdown = self.html(opening);
        if opening.len() < text.len() {
            add(
                &mut markdown,
                "[Cut off: this text is too long to be shown whole.]",
            );
        }
        markdown
    }

    fn item(&self, id: u64) -> Result<SiteApiPage, SiteApiError> {
        let item = self.item_value(id)?;
        if !item.is_object() {
            return Err(SiteApiError::NotFound(format!(
                "There is no item {id} at Hacker News. Look the number up again."
            )));
        }
        if !is_there(&item) {
            return Err(SiteApiError::NotFound(format!(
                "The item {id} at Hacker News was deleted or is not shown any more."
            )));
        }
        let kind = item.get("type").and_then(Value::as_str).unwrap_or("item");
        let author = name_of(&item, "by");
        let title = name_of(&item, "title").unwrap_or_else(|| match &author {
            Some(author) => format!("A {kind} of {author}"),
            None => format!("A {kind}"),
        });
        let time = number(&item, "time").and_then(day_and_minute);
        let mut html = format!("<h1>{}</h1>", escaped(&title));
        if let Some(url) = address_of(&item) {
            let _ = write!(html, "<p><a href=\"{0}\">{0}</a></p>", escaped(url));
        }
        if let Some(parent) = number(&item, "parent") {
            let _ = write!(
                html,
                "<p><a href=\"item?id={parent}\">What it answers</a></p>"
            );
        }
        let told = summary(&item, true);
        if !told.is_empty() {
            let _ = write!(html, "<p>{}</p>", escaped(&told));
        }
        let mut markdown = self.html(&html);
        add(&mut markdown, &self.text(&item, "text"));
        let mut is_partial = false;
        let options = ids(&item, "parts");
        if !options.is_empty() {
            let options = self.items(&options, MAX_CHILDREN);
            let mut html = String::from("<ul>");
            for option in &options.values {
                let text = first_paragraph(option);
                let points = points(option).unwrap_or_default();
                let _ = write!(html, "<li>{}: {points}</li>", escaped(&text));
            }
            add(&mut markdown, &self.html(&html));
            options.note_missing("option", &mut markdown);
            is_partial |= options.failed > 0;
        }
        let kids = ids(&item, "kids");
        if !kids.is_empty() {
            let comments = self.items(&kids, MAX_CHILDREN);
            let all = number(&item, "descendants").unwrap_or(kids.len() as u64);
            let shown_count = comments.values.len();
            let heading = if all > shown_count as u64 {
                format!("Comments (the first {shown_count} of {all})")
            } else {
                "Comments".to_owned()
            };
            add(&mut markdown, &format!("## {heading}"));
            for comment in &comments.values {
                add(&mut markdown, &self.comment(comment));
            }
            comments.note_missing("comment", &mut markdown);
            is_partial |= comments.failed > 0;
        }
        Ok(SiteApiPage {
            kind: "hn",
            document: Document {
                author,
                date: time.map(|(day, _)| day),
                ..document(title, markdown)
            },
            is_partial,
        })
    }

    fn comment(&self, comment: &Value) -> String {
        let replies = ids(comment, "kids").len();
        let mut told = summary(comment, false);
        if replies > 0 {
            let replies = counted_as(replies as u64, "reply", "replies");
            told = format!("{told}, {replies}");
        }
        let mut markdown = self.html(&format!("<h3>{}</h3>", escaped(&told)));
        add(&mut markdown, &self.text(comment, "text"));
        markdown
    }

    fn list(&self, list: &str, page: usize) -> Result<SiteApiPage, SiteApiError> {
        let value = self.value(list)?;
        let Some(all) = value.as_array() else {
            return Err(SiteApiError::NotUnderstood(format!(
                "Hacker News' API has no list where {list} should be. Try again later."
            )));
        };
        let all: Vec<u64> = all.iter().filter_map(Value::as_u64).collect();
        let first_index = (page * PAGE_STORIES).min(all.len());
        let here = &all[first_index..all.len().min(first_index + PAGE_STORIES)];
        if here.is_empty() {
            let pages = all.len().div_ceil(PAGE_STORIES);
            return Err(SiteApiError::Empty(format!(
                "This list of Hacker News has {pages} pages, and nothing on page {}.",
                page + 1
            )));
        }
        let items = self.items(here, PAGE_STORIES);
        let (.., name) = LISTS
            .iter()
            .find(|(_, one, _)| *one == list)
            .unwrap_or(&LISTS[0]);
        let title = format!("{name} | Hacker News");
        let start = first_index + 1;
        let mut html = format!("<h1>{}</h1><ol start=\"{start}\">", escaped(&title));
        for item in &items.values {
            html.push_str(&list_entry(item));
        }
        html.push_str("</ol>");
        let mut markdown = self.html(&html);
        items.note_missing("story", &mut markdown);
        if items.values.is_empty() && items.failed > 0 {
            return self.item_value(here[0]).and(Err(SiteApiError::Empty(
                "None of the stories of this list could be read. Try again later.".to_owned(),
            )));
        }
        Ok(SiteApiPage {
            kind: "hn",
            document: document(title, markdown),
            is_partial: items.failed > 0,
        })
    }

    fn user(&self, name: &str) -> Result<SiteApiPage, SiteApiError> {
        let user = self.value(&format!("user/{name}"))?;
        if !user.is_object() {
            return Err(SiteApiError::NotFound(format!(
                "There is no user {name} at Hacker News; names are told by their case too."
            )));
        }
        let since = number(&user, "created").and_then(day_and_minute);
        let karma = number(&user, "karma");
        let told: Vec<String> = [
            since.map(|(day, _)| format!("since {day}")),
            karma.map(|karma| format!("karma {karma}")),
        ]
        .into_iter()
        .flatten()
        .collect();
        let title = format!("{name} | Hacker News");
        let mut markdown = self.html(&format!(
            "<h1>{}</h1><p>{}</p>",
            escaped(name),
            escaped(&told.join(", "))
        ));
        add(&mut markdown, &self.text(&user, "about"));
        let submitted = self.items(&ids(&user, "submitted"), MAX_CHILDREN);
        if !submitted.values.is_empty() {
            let mut html = String::from("<h2>Latest submissions and comments</h2><ul>");
            for item in &submitted.values {
                html.push_str(&list_entry(item));
            }
            html.push_str("</ul>");
            add(&mut markdown, &self.html(&html));
        }
        submitted.note_missing("submission", &mut markdown);
        Ok(SiteApiPage {
            kind: "hn",
            document: Document {
                author: Some(name.to_owned()),
                ..document(title, markdown)
            },
            is_partial: submitted.failed > 0,
        })
    }
}

/// Appends a block of Markdown, with a blank line before it.
fn add(markdown: &mut String, block: &str) {
    if block.is_empty() {
        return;
    }
    if !markdown.is_empty() {
        markdown.push_str("\n\n");
    }
    markdown.push_str(block);
}

fn document(title: String, markdown: String) -> Document {
    Document {
        title,
        markdown,
        ..Document::default()
    }
}
