//! `research_export`: a session as one document, or its sources as a bibliography.

use std::fmt::Write as _;
use std::io;

use serde::Serialize;
use serde_json::Value;

use super::shown_session::{is_in_words, put, put_head, put_outcomes, put_rows};
use crate::basics::words::counted;
use crate::contract::failure::{Code, Failure};
use crate::contract::reply::{Object, Reply};
use crate::contract::request::Request;
use crate::contract::terms::{Audience, Terms};
use crate::contract::tool::{AccessScope, Family, FieldRole, Tool, ToolHints, ToolManual, ToolSet};
use crate::page::{Reference, ReferenceFacts};
use crate::research_sessions::{self, ResearchSession, SourceCoverage, markdown};
use crate::tools::web::network;
use crate::tools::web::research_cache::{self, ResearchCache, TRUST};
use crate::tools::web::resource_link::{self, LargeAnswer, LinkedAnswer};
use crate::tools::web::session_record::{self, SESSION_ID, session_failure, with_sessions};
use crate::web::link_check::{ARCHIVE_VARIABLE, CheckedLink, LinkState, check_links};

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: "research_export",
    link: "research-export-tool",
    title: "Export a research session",
    family: Family::Research,
    set: ToolSet::Research,
    offered: false,
    hints: ToolHints::ASKS,
    scope: AccessScope::Network,
    schema: include_str!("../../schemas/research_export.json"),
    model_schema: include_str!("../../schemas/for_models/research_export.json"),
    output_schema: Some(include_str!("../../schemas/output/research_export.json")),
    aliases: session_record::ALIASES,
    artifacts: true,
    manual: ToolManual {
        text: "\
Exports a research session: all of it as Markdown or JSON, or its sources as BibTeX, RIS or
CSL-JSON, which reference managers and pandoc read. The same session gives the same text, but for
the time of the export. Nothing leaves this machine unless --verify-links asks each source's address
once, as scrape-page would; the Internet Archive is then asked for a copy of those that are dead,
and sees their addresses, but never one of the local network.",
        example: r#"{"sessionId":"6f0c1c9e-5f3a-4b5e-9d0e-2f1b7a3c4d5e","format":"bibtex"}"#,
        environment: &[
            (
                ARCHIVE_VARIABLE,
                "the archive's address, for proxies and tests",
            ),
            session_record::LIFETIME,
            research_cache::CACHE_KEY,
            research_cache::STATE_PLACE,
            network::PROXIES,
            network::NO_PROXY,
            network::CERTIFICATES,
            network::ALLOWED_DOMAINS,
        ],
    },
    // The others are for programs alone.
    fields: &[
        (SESSION_ID, FieldRole::Silent),
        ("content", FieldRole::Content),
        ("format", FieldRole::Silent),
        ("stepCount", FieldRole::Silent),
        ("sourceCount", FieldRole::Silent),
        ("exportedAt", FieldRole::Silent),
        ("trust", FieldRole::Silent),
        ("mimeType", FieldRole::Silent),
    ],
    run,
    ..Tool::PLAIN
};

/// A form of an export.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExportFormat {
    Markdown,
    Json,
    Bibtex,
    Ris,
    CslJson,
}

/// The forms, with their names in requests.
const FORMATS: [(&str, ExportFormat); 5] = [
    ("markdown", ExportFormat::Markdown),
    ("json", ExportFormat::Json),
    ("bibtex", ExportFormat::Bibtex),
    ("ris", ExportFormat::Ris),
    ("csl-json", ExportFormat::CslJson),
];

impl ExportFormat {
    fn name(self) -> &'static str {
        let mut names = FORMATS.iter();
        let found = names.find(|(_, format)| *format == self);
        found.map_or("", |(name, _)| name)
    }

    fn mime_type(self) -> &'static str {
        match self {
            Self::Markdown => "text/markdown",
            Self::Json => "application/json",
            Self::Bibtex => "application/x-bibtex",
            Self::Ris => "application/x-research-info-systems",
            Self::CslJson => "application/vnd.citationstyles.csl+json",
        }
    }
}

/// A link of the answer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownLink<'a> {
    url: &'a str,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    archived_url: Option<&'a str>,
}

/// A session on its way out.
struct SessionExport {
    session: ResearchSession,
    format: ExportFormat,
    links: Vec<CheckedLink>,
    stamp: String,
}

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let terms = request.terms();
    if !request.has(SESSION_ID) {
        request.required_text(SESSION_ID)?;
        let message = terms.if_served(
            "get_research_session",
            "sessionId is empty: get_research_session lists your sessions",
        );
        return Err(Failure::new(Code::InvalidArg, message)
            .with_advice(research_cache::advice(Code::InvalidArg)));
    }
    let id = request.text(SESSION_ID)?.unwrap_or_default();
    let format = request.choice("format", &FORMATS)?;
    let verifies = request.flag("verify_links")?;
    let opened = with_sessions(terms, None, |sessions| sessions.open(id));
    let session = opened.map_err(|fault| session_failure(fault, terms))?;
    let links = if verifies {
        let sources = session.sources.iter();
        let addresses: Vec<&str> = sources.map(|source| source.url.as_str()).collect();
        check_links(&addresses, &network::client(terms))
    } else {
        Vec::new()
    };
    let export = SessionExport {
        session,
        format: format.unwrap_or(ExportFormat::Markdown),
        links,
        stamp: research_sessions::now(),
    };
    let content = export.content().map_err(|error| {
        Failure::new(
            Code::ToolFailed,
            format!("The export cannot be written: {error}."),
        )
    })?;
    let linked = export.linked(&content, terms);
    Ok(Reply::new(move |object| {
        export.write(object, &content, linked.as_ref())
    }))
}

impl SessionExport {
    /// The document. A file of text ends in a line's end.
    fn content(&self) -> io::Result<String> {
        let references = || {
            Reference::all(self.session.sources.iter().map(|source| ReferenceFacts {
                url: &source.url,
                title: &source.title,
                author: &source.author,
                date: &source.date,
                journal: &source.journal,
                doi: &source.doi,
                accessed: &source.accessed,
            }))
        };
        let mut content = String::new();
        match self.format {
            ExportFormat::Markdown => {
                let remarks: Vec<String> = self.links.iter().map(remark).collect();
                content = markdown::export(&self.session, &remarks, &self.stamp);
            }
            ExportFormat::Json => {
                let object = resource_link::whole_object(|object| self.write_session(object))?;
                content = String::from_utf8(object).map_err(io::Error::other)?;
            }
            ExportFormat::Bibtex => {
                for reference in references() {
                    let _ = writeln!(content, "{}\n", reference.bibtex());
                }
                content.truncate(content.trim_end().len());
            }
            ExportFormat::Ris => {
                for reference in references() {
                    let _ = writeln!(content, "{}", reference.ris());
                }
                content.truncate(content.trim_end_matches('\n').len());
            }
            ExportFormat::CslJson => {
                let items: Vec<Value> = references().iter().map(Reference::csl).collect();
                content = Value::from(items).to_string();
            }
        }
        content.push('\n');
        Ok(content)
    }

    /// Writes the whole session.
    fn write_session(&self, object: &mut Object<'_>) -> io::Result<()> {
        let session = &self.session;
        object.field("exportedAt", &self.stamp)?;
        object.field(SESSION_ID, &session.session_id)?;
        put_head(object, session)?;
        object.field("sessionSummary", &session.session_summary)?;
        put_rows(object, "steps", &session.in_order())?;
        put(object, "gaps", &session.gaps())?;
        put_rows(object, "sources", &session.sources)?;
        put(object, "coverage", &SourceCoverage::of(session))?;
        put_outcomes(object, session)?;
        self.write_links(object)
    }

    fn write_links(&self, object: &mut Object<'_>) -> io::Result<()> {
        if self.links.is_empty() {
            return Ok(());
        }
        let links = self.session.sources.iter().zip(&self.links);
        let links: Vec<ShownLink<'_>> = links
            .map(|(source, link)| ShownLink {
                url: &source.url,
                state: link.state.name(),
                status: link.status,
                archived_url: link.archived.as_deref(),
            })
            .collect();
        put_rows(object, "links", &links)
    }

    /// Stores content that is too large for a message of a program's.
    fn linked(&self, content: &str, terms: &Terms) -> Option<LinkedAnswer> {
        if !terms.served || terms.reader != Audience::Program {
            return None;
        }
        let cache = ResearchCache::of_user(terms);
        let answer = LargeAnswer {
            mime_type: self.format.mime_type(),
            text: content.as_bytes().to_vec(),
            summary: format!(
                "Research session {} as {}, {}: read the resource for all of it.",
                self.session.session_id,
                self.format.name(),
                counted(content.len() as u64, "byte")
            ),
            description: "The exported session; it can be read until it expires.",
        };
        resource_link::link(cache.for_answers()?, &answer)
    }

    /// Writes the answer.
    fn write(
        &self,
        object: &mut Object<'_>,
        content: &str,
        linked: Option<&LinkedAnswer>,
    ) -> io::Result<()> {
        object.field(SESSION_ID, &self.session.session_id)?;
        object.field("format", self.format.name())?;
        object.field("stepCount", &self.session.steps.len())?;
        object.field("sourceCount", &self.session.sources.len())?;
        object.field("exportedAt", &self.stamp)?;
        object.field("trust", TRUST)?;
        if !is_in_words(object) {
            self.write_links(object)?;
        }
        let unchecked = self.links.iter();
        let unchecked = unchecked.filter(|link| link.state == LinkState::Unchecked);
        let unchecked = unchecked.count();
        if unchecked > 0 {
            object.note(format!(
                "Not checked: {}, for lack of time or because it must not be fetched.",
                counted(unchecked as u64, "link")
            ));
        }
        if let Some(linked) = linked {
            return linked.write(object);
        }
        object.field("mimeType", self.format.mime_type())?;
        if object.whole_text("content", content.as_bytes())?.is_some() {
            object.note(format!(
                "The export has {}: `ikigai-tools research-export` writes all of it to a file.",
                counted(content.len() as u64, "byte")
            ));
        }
        Ok(())
    }
}

/// What the check of a link has shown, if it is worth a line.
fn remark(link: &CheckedLink) -> String {
    let status = link.status.map(|status| format!(" ({status})"));
    let status = status.unwrap_or_default();
    match (link.state, &link.archived) {
        (LinkState::Alive, _) => String::new(),
        (LinkState::Dead, Some(copy)) => format!("dead{status}; archived copy: <{copy}>"),
        (state, _) => format!("{}{status}", state.name()),
    }
}
