//! `research_export`: a session as one document, or its sources as a bibliography.

use std::fmt::Write as _;
use std::io;

use serde_json::{Value, json};

use super::session_parts::{ShownSession, goal};
use crate::contract::call_terms::{Audience, CallTerms};
use crate::contract::failure::{ErrorCode, Failure};
use crate::contract::reply::{AnswerObject, Reply};
use crate::contract::request::Request;
use crate::contract::tool::{FieldRole, Tool};
use crate::tools::web::network;
use crate::tools::web::research_call::{TRUST, research_tool};
use crate::tools::web::resource_link::{self, LargeAnswer, LinkedAnswer};
use crate::tools::web::session_record::{SESSION_ID, session_failure, with_sessions};
use crate::tools::web::{research_cache, research_failure};
use iki_base::wording::count_noun;
use iki_research::sessions::{self, ResearchSession, SessionSource, SourceCoverage, markdown};
use iki_web::link_check::{CheckedLink, LinkState, LinkToCheck, check_links};
use iki_web::page::Reference;

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    link: "research-export-tool",
    title: "Export a research session",
    links_artifacts: true,
    // The others are for programs only.
    fields: &[
        (SESSION_ID, FieldRole::Silent),
        ("content", FieldRole::Content),
        ("trust", FieldRole::Silent),
    ],
    run,
    ..research_tool!("research_export")
};

/// The forms of an export: the name in requests, and the media type.
const FORMATS: [(&str, &str); 5] = [
    ("markdown", "text/markdown"),
    ("json", resource_link::JSON),
    ("bibtex", "application/x-bibtex"),
    ("ris", "application/x-research-info-systems"),
    ("csl-json", "application/vnd.citationstyles.csl+json"),
];

/// A session on its way out.
struct SessionExport {
    session: ResearchSession,
    format: (&'static str, &'static str),
    links: Vec<CheckedLink>,
    stamp: String,
}

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let terms = request.terms();
    let Some(id) = request.text(SESSION_ID)? else {
        request.required_text(SESSION_ID)?;
        let lists = terms.if_served(
            "get_research_session",
            ": get_research_session lists your sessions",
        );
        let message = format!("sessionId is empty{lists}");
        return Err(research_failure::with_advice(
            ErrorCode::InvalidArg,
            message,
        ));
    };
    let named = FORMATS.map(|row| (row.0, row));
    let format = request.choice("format", &named)?.unwrap_or(FORMATS[0]);
    let verifies = request.flag("verify_links")?;
    let opened = with_sessions(terms, None, |sessions| sessions.open(id));
    let session = opened.map_err(|fault| session_failure(fault, terms))?;
    let links = if verifies {
        let sources = session.sources.iter();
        let links = sources.map(|source| LinkToCheck {
            address: &source.work.url,
            is_named: source.named,
        });
        check_links(&links.collect::<Vec<_>>(), &network::client(terms))
    } else {
        Vec::new()
    };
    let export = SessionExport {
        session,
        format,
        links,
        stamp: sessions::now(),
    };
    let content = export.content().map_err(|error| {
        let message = format!("The export cannot be written: {error}.");
        research_failure::with_advice(ErrorCode::ToolFailed, message)
    })?;
    let linked = export.linked(&content, terms);
    Ok(Reply::new(move |object| {
        export.write(object, &content, linked.as_ref())
    }))
}

impl SessionExport {
    /// Returns the document. A file of text ends in a line's end.
    fn content(&self) -> io::Result<String> {
        let references = || {
            let sources = self.session.sources.iter();
            Reference::all(sources.map(|source| (&source.work, source.accessed.as_str())))
        };
        let mut content = String::new();
        match self.format.0 {
            "json" => {
                let object = resource_link::whole_object(|object| {
                    self.show(&mut ShownSession::Fields(object))
                })?;
                content = String::from_utf8(object).map_err(io::Error::other)?;
            }
            "bibtex" => {
                for reference in references() {
                    let _ = writeln!(content, "{}\n", reference.bibtex());
                }
            }
            "ris" => {
                for reference in references() {
                    let _ = writeln!(content, "{}", reference.ris());
                }
            }
            "csl-json" => {
                let items: Vec<Value> = references().iter().map(Reference::csl).collect();
                content = Value::from(items).to_string();
            }
            _ => {
                let mut out = ShownSession::Text(String::new());
                self.show(&mut out)?;
                content.push_str(out.text().map_or("", |text| text.as_str()));
            }
        }
        content.truncate(content.trim_end_matches('\n').len());
        content.push('\n');
        Ok(content)
    }

    /// Shows the whole session.
    fn show(&self, out: &mut ShownSession<'_, '_>) -> io::Result<()> {
        let session = &self.session;
        let (goal, id, stamp) = (goal(session), &session.session_id, &self.stamp);
        out.say(&format!(
            "# {goal}\n\nExported {stamp}\n\n- Session: {id}\n"
        ));
        out.field("exportedAt", stamp)?;
        out.field(SESSION_ID, id)?;
        out.say_extent(session);
        out.head(session)?;
        out.field("sessionSummary", &session.session_summary)?;
        let summary = &session.session_summary;
        if !summary.is_empty() {
            out.say("## Summary\n\n");
            out.text()
                .into_iter()
                .for_each(|text| markdown::write_quoted(text, summary));
            out.say("\n");
        }
        out.say("## Steps\n\n");
        out.steps("steps", &session.in_order())?;
        out.list("gaps", "Gaps", &session.gaps())?;
        let remarks: Vec<String> = self.links.iter().map(remark).collect();
        out.sources(&session.sources.iter().collect::<Vec<_>>(), &remarks)?;
        out.field("coverage", &SourceCoverage::from_session(session))?;
        out.outcomes(session)?;
        self.show_links(out)
    }

    fn show_links(&self, export: &mut ShownSession<'_, '_>) -> io::Result<()> {
        let link = |(source, link): (&SessionSource, &CheckedLink)| {
            let mut link_row = json!({"url": source.work.url, "state": link.state.name()});
            if let Some(status) = link.status {
                link_row["status"] = status.into();
            }
            if let Some(copy) = &link.archived {
                link_row["archivedUrl"] = copy.as_str().into();
            }
            link_row
        };
        if self.links.is_empty() {
            return Ok(());
        }
        let sources = self.session.sources.iter();
        let links: Vec<Value> = sources.zip(&self.links).map(link).collect();
        export.rows("links", &links)
    }

    /// Stores content that is too large for a message of a program's.
    fn linked(&self, content: &str, terms: &CallTerms) -> Option<LinkedAnswer> {
        if !terms.is_served || terms.reader != Audience::Program {
            return None;
        }
        let answer = LargeAnswer {
            mime_type: self.format.1,
            text: content.as_bytes().to_vec(),
            summary: format!(
                "Research session {} as {}, {}: read the resource for all of it.",
                self.session.session_id,
                self.format.0,
                count_noun(content.len() as u64, "byte")
            ),
            description: "The exported session; it can be read until it expires.",
        };
        resource_link::link(&*research_cache::for_answers(terms)?, &answer)
    }

    /// Writes the answer.
    fn write(
        &self,
        object: &mut AnswerObject<'_>,
        content: &str,
        linked: Option<&LinkedAnswer>,
    ) -> io::Result<()> {
        object.field(SESSION_ID, &self.session.session_id)?;
        object.field("trust", TRUST)?;
        let in_words = object.terms().reader.reads_words();
        if !in_words {
            object.field("format", self.format.0)?;
            object.field("stepCount", &self.session.steps.len())?;
            object.field("sourceCount", &self.session.sources.len())?;
            object.field("exportedAt", &self.stamp)?;
            self.show_links(&mut ShownSession::Fields(object))?;
        }
        let unchecked = self.links.iter();
        let unchecked = unchecked.filter(|link| link.state == LinkState::Unchecked);
        let unchecked = unchecked.count();
        if unchecked > 0 {
            object.note(format!(
                "Not checked: {}, for lack of time or because it must not be fetched.",
                count_noun(unchecked as u64, "link")
            ));
        }
        if let Some(linked) = linked {
            return linked.write(object);
        }
        if !in_words {
            object.field("mimeType", self.format.1)?;
        }
        if object.whole_text("content", content.as_bytes())?.is_some() {
            let length = count_noun(content.len() as u64, "byte");
            // The owner of a token has no sessions on this machine.
            let terms = object.terms();
            let is_named = terms.context.is_some_and(|context| context.owner.is_some());
            let way = if !terms.is_served || (terms.serves("bash") && !is_named) {
                let (id, format) = (&self.session.session_id, self.format.0);
                format!(
                    "`ikigai-tools research-export {id} --format {format} >FILE` writes all of it"
                )
            } else {
                "get_research_session with stepId gives one step whole".to_owned()
            };
            object.note(format!(
                "The export has {length}, and ends before its end here: {way}."
            ));
        }
        Ok(())
    }
}

/// Returns the result of a link's check, if it is worth a line.
fn remark(link: &CheckedLink) -> String {
    let status = link.status.map(|status| format!(" ({status})"));
    let status = status.unwrap_or_default();
    match (link.state, &link.archived) {
        (LinkState::Alive, _) => String::new(),
        (LinkState::Dead, Some(copy)) => format!("dead{status}; archived copy: <{copy}>"),
        (state, _) => format!("{}{status}", state.name()),
    }
}
