//! A tool that no version of this program has.

use iki_tools::contract::failure::{ErrorCode, Failure};
use iki_tools::contract::reply::Reply;
use iki_tools::contract::request::Request;
use iki_tools::contract::tool::{
    AccessScope, Credential, EnvelopeFamily, ExitCodes, FieldRole, ProviderCredentials, Tool,
    ToolHints, ToolManual, ToolSet,
};

/// The tool's row.
pub const TOOL: Tool = Tool {
    name: "acme_lookup",
    link: "acme-lookup-tool",
    family: EnvelopeFamily::Web,
    set: ToolSet::Web,
    is_served_by_default: true,
    schema: include_str!("acme_lookup.json"),
    model_schema: include_str!("acme_lookup.json"),
    host_schema: None,
    aliases: &[],
    fields_beside: &[],
    colours_output: false,
    served_fields: &[],
    values: &[],
    output_schema: None,
    links_artifacts: false,
    title: "Look a station up",
    hints: ToolHints::ASKS,
    scope: AccessScope::Network,
    max_concurrent_calls: Some(2),
    manual: ToolManual(
        "\
Answers with what Acme knows of a station.
--
{\"station\":\"north\",\"days\":2}
--
ACME_URL: another address of Acme",
    ),
    account: Some(ProviderCredentials {
        credentials: &[Credential {
            variable: "ACME_LOOKUP_API_KEY",
            path: &["acme", "api_key"],
        }],
        notice: "Acme needs a key.",
        source: "Get your key: https://acme.example/keys",
    }),
    fields: &[
        ("output", FieldRole::Output),
        ("hits", FieldRole::Results),
        ("id", FieldRole::Silent),
        ("about", FieldRole::Aside(&[("owner", "/owner")])),
        ("since", FieldRole::Aside(&[("since", "")])),
    ],
    exit_codes: ExitCodes::USUAL,
    how_to_get_less: "",
    run,
    from_cache: None,
};

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let station = request.required_text("station")?;
    if station == "nowhere" {
        return Err(Failure::new(ErrorCode::ApiError, "no such station"));
    }
    Ok(Reply::new(move |object| {
        object.whole_text("output", b"sunny")?;
        object.field("id", &7)?;
        object.field("about", &serde_json::json!({"owner": "A\u{1b}B", "key": 1}))?;
        object.whole_text("since", b"1923")?;
        object.whole_text("station", station.as_bytes())?;
        object.field("degrees", &21)?;
        object.field("hits", &[serde_json::json!({"name": "N\u{1b}1", "far": 3})])?;
        object.field("note", "as of today")?;
        if station == "broken" {
            object.break_off(&Failure::new(ErrorCode::NetworkError, "the line broke"))?;
        }
        Ok(())
    }))
}
