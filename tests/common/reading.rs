//! Pages read with `scrape_page`, in a home of the test's own.

// Every test file includes this module and uses its own part of it.
#![allow(dead_code)]

use std::fmt::Write as _;

use serde_json::{Value, json};

pub use super::common::home::Home;
use super::server::{Conn, Server, reply};

impl Home {
    /// One that reads pages, without a browser and without office programs.
    pub fn new() -> Self {
        let home = Self::of("scrape-page-tool");
        home.set("IKIGAI_BROWSER", "").set("IKIGAI_OFFICE", "")
    }

    /// One that searches with this server, which is like `SearXNG`.
    pub fn searching(server: &Server) -> Self {
        Self::new()
            .set("SEARCH_PROVIDER", "searxng")
            .set("SEARXNG_URL", &server.url("/"))
            .set("IKIGAI_SEARXNG_URL", &server.url("/search"))
    }

    /// Reads a page, as a host does.
    #[track_caller]
    pub fn reads(&self, request: &Value) -> Value {
        let json = self.finds(request);
        assert_eq!(json["trust"], "untrusted-external-content", "{json}");
        json
    }

    /// The same of an address alone.
    #[track_caller]
    pub fn page(&self, url: &str) -> Value {
        self.reads(&json!({"url": url}))
    }
}

/// A server that answers every request with this body.
pub fn serving(content_type: &str, body: impl AsRef<[u8]>) -> Server {
    Server::bytes(reply(
        &format!("200 OK\r\nContent-Type: {content_type}"),
        body,
    ))
}

/// A search engine like `SearXNG`, whose results are pages of its own at these paths, which `page`
/// answers.
pub fn engine(
    paths: &[&str],
    page: impl Fn(&str, &mut dyn Conn) -> std::io::Result<()> + Send + Sync + 'static,
) -> Server {
    let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
    Server::start(move |asked, conn| {
        let path = asked.target.split('?').next().unwrap();
        if path != "/search" {
            return page(path, conn);
        }
        let host = asked.header("host").unwrap();
        let result = |path: &String| {
            // An address of its own is one of another host.
            let url = if path.starts_with('/') {
                format!("http://{host}{path}")
            } else {
                path.clone()
            };
            json!({"url": url, "title": format!("Result {path}"), "content": "A snippet."})
        };
        let results: Vec<Value> = paths.iter().map(result).collect();
        let body = json!({"query": "q", "results": results}).to_string();
        conn.write_all(&reply("200 OK\r\nContent-Type: application/json", body))
    })
}

/// An HTML page, as a reply.
pub fn html(title: &str, main: &str) -> Vec<u8> {
    let page = format!(
        "<!doctype html><html><head><title>{title}</title></head><body><nav><a href='/'>Home</a></nav>\
         <main><article><h1>{title}</h1>{main}</article></main></body></html>"
    );
    reply("200 OK\r\nContent-Type: text/html; charset=utf-8", page)
}

/// The same with another status.
pub fn refusing(head: &str, body: &str) -> Server {
    Server::bytes(reply(&format!("{head}\r\nContent-Type: text/html"), body))
}

/// An article of so many paragraphs, with what stands around one.
pub fn article(paragraphs: u32) -> String {
    let paragraph = |number: u32| {
        format!(
            "<p>Paragraph {number} of the report tells at some length what was found under the old \
             mill, who had hidden it there, and why nobody in the village had spoken of it for \
             more than sixty years, although everybody knew.</p>"
        )
    };
    let paragraphs: String = (1..=paragraphs).map(paragraph).collect();
    format!(
        "<!doctype html><html><head><title>What lay under the mill – The Village Herald</title></head>\
         <body><header class='site-header'><a href='/'>The Village Herald</a><ul class='menu'>\
         <li><a href='/news'>News</a></li><li><a href='/sport'>Sport</a></li>\
         <li><a href='/weather'>Weather</a></li></ul></header>\
         <main><article class='post'><h1>What lay under the mill</h1>{paragraphs}</article></main>\
         <aside class='sidebar related'><h3>Related stories</h3><ul>\
         <li><a href='/1'>Baker wins prize</a></li></ul></aside>\
         <footer class='footer'><p>Copyright The Village Herald</p><a href='/imprint'>Imprint</a></footer>\
         </body></html>"
    )
}

/// The text of a field.
#[track_caller]
pub fn text<'a>(object: &'a Value, name: &str) -> &'a str {
    let found = object[name].as_str();
    found.unwrap_or_else(|| panic!("no text `{name}` in {object}"))
}

/// The names of an object's fields.
pub fn names(object: &Value) -> Vec<&str> {
    let object = object.as_object().unwrap();
    object.keys().map(String::as_str).collect()
}

/// A PDF file of these pages, whose lines stand one below the other.
pub fn pdf(pages: &[Vec<String>]) -> Vec<u8> {
    let kids: Vec<String> = (0..pages.len())
        .map(|at| format!("{} 0 R", 4 + 2 * at))
        .collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!(
            "<< /Type /Pages /Kids [{}] /Count {} >>",
            kids.join(" "),
            pages.len()
        ),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    for lines in pages {
        let mut content = String::from("BT /F1 10 Tf 14 TL 72 720 Td");
        for line in lines {
            write!(content, " ({line}) Tj T*").unwrap();
        }
        content.push_str(" ET");
        let number = objects.len() + 2;
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {number} 0 R \
             /Resources << /Font << /F1 3 0 R >> >> >>"
        ));
        let length = content.len();
        objects.push(format!(
            "<< /Length {length} >>\nstream\n{content}\nendstream"
        ));
    }
    let mut file = String::from("%PDF-1.4\n");
    let mut places = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        places.push(file.len());
        write!(file, "{} 0 obj\n{object}\nendobj\n", at + 1).unwrap();
    }
    let (table, size) = (file.len(), objects.len() + 1);
    write!(file, "xref\n0 {size}\n0000000000 65535 f \n").unwrap();
    for place in places {
        writeln!(file, "{place:010} 00000 n ").unwrap();
    }
    write!(
        file,
        "trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n"
    )
    .unwrap();
    file.into_bytes()
}
