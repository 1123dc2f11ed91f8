//! Resources that clients may read by an address: results that were too large for an answer, which
//! linked to them instead.
//!
//! There is one template of addresses and no list: a client that was not given an address has none
//! to read. An artifact that is not there any more, was never there, or is damaged is equally "not
//! found".

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::{Value, json};

use crate::call::{MAX_CONTENT_BYTES, ToolCaller};
use iki_tools::contract::answer_limit::TextMeasure;
use iki_tools::contract::tool::Tool;
use iki_tools::secrets;
use iki_web::cache::artifact::{self, ArtifactId, StoredArtifact};
use iki_web::cache::{self, CacheFiles};

/// True if a server of these tools has anything to read.
pub fn are_served(tools: &[&Tool]) -> bool {
    tools.iter().any(|tool| tool.links_artifacts)
}

/// The one template of addresses.
pub fn template() -> ResourceTemplate {
    ResourceTemplate::new(format!("{}{{id}}", artifact::ADDRESS), "research-artifact")
        .with_title("Large result")
        .with_description(format!(
            "A result that was too large for its answer, which links to it; for {} minutes",
            artifact::LIFETIME.as_secs() / 60
        ))
}

/// The resource that an answer links to, from the object that a tool wrote with it.
pub fn link(link: &Value) -> Option<Resource> {
    let text = |name: &str| link[name].as_str();
    let mut resource = Resource::new(text("uri")?, text("name")?);
    resource.title = text("title").map(str::to_owned);
    resource.description = text("description").map(str::to_owned);
    resource.mime_type = text("mimeType").map(str::to_owned);
    resource.size = link["size"].as_u64();
    Some(resource)
}

/// Reads the artifact at `uri` that the calls of `caller` left there.
pub async fn read(uri: &str, caller: &ToolCaller) -> Result<ReadResourceResult, ErrorData> {
    let Some(stored) = find_artifact(uri, caller).await else {
        return Err(ErrorData::resource_not_found(
            format!(
                "Resource not found: there is nothing at {}, or no more; results that are linked \
                 to can be read for {} minutes. Make the call again that linked to it.",
                uri.escape_debug(),
                artifact::LIFETIME.as_secs() / 60
            ),
            Some(json!({"uri": uri})),
        ));
    };
    let contents = match String::from_utf8(stored.content) {
        Ok(text) if TextMeasure::Json.cost(text.as_bytes()) <= MAX_CONTENT_BYTES => {
            ResourceContents::text(text, uri)
        }
        Err(bytes) if bytes.as_bytes().len() <= MAX_CONTENT_BYTES / 4 * 3 => {
            ResourceContents::blob(BASE64_STANDARD.encode(bytes.as_bytes()), uri)
        }
        _ => {
            return Err(ErrorData::internal_error(
                "This result does not fit into a message of 16 MiB. Make the call again that \
                 linked to it, and ask for less.",
                Some(json!({"uri": uri})),
            ));
        }
    };
    let contents = if stored.mime_type.is_empty() {
        contents
    } else {
        contents.with_mime_type(stored.mime_type)
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

async fn find_artifact(uri: &str, caller: &ToolCaller) -> Option<StoredArtifact> {
    let id = ArtifactId::in_address(uri)?;
    if let Some(layers) = caller.cache() {
        return artifact::get_from(layers, &id).await;
    }
    let secret = secrets::of_taken(caller.secrets(), cache::KEY_VARIABLE);
    let store = CacheFiles::of_user(secret.as_deref(), caller.confinement())?;
    artifact::get(&store, &id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_what_the_tool_wrote_of_it() {
        let wrote = json!({
            "uri": "research://artifact/0", "name": "n", "title": "t", "mimeType": "text/plain",
            "description": "d", "size": 7,
        });
        let sent = serde_json::to_value(link(&wrote).unwrap()).unwrap();
        assert_eq!(sent, wrote);
        let least = json!({"uri": "u", "name": "n"});
        let sent = serde_json::to_value(link(&least).unwrap()).unwrap();
        assert_eq!(sent, least);
        for wrong in [
            json!({"uri": "u"}),
            json!({"name": "n"}),
            json!("u"),
            json!(null),
        ] {
            assert!(link(&wrong).is_none());
        }
    }
}
