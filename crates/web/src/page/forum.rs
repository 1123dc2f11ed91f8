//! Reception of a post on Reddit: votes and comments, from its JSON-LD.
//!
//! Rules: schema.org's `DiscussionForumPosting`, as Google's documentation of discussion forums
//! requires it (`interactionStatistic`, `commentCount`).

use serde_json::{Map, Value, json};
use url::Url;

use super::embedded::EmbeddedData;
use super::json_ld;
use crate::guard::names::is_within;
use crate::partial_date::PartialDate;
use iki_base::wording::beginning;

/// Below this number of votes a few accounts could have cast them all.
const MIN_VOTES: i64 = 20;

/// Returns the reception of the post at `url`; `None` if it is not on Reddit, or its page does not
/// state it.
#[must_use]
pub fn signals(url: &Url, embedded: Option<&EmbeddedData>) -> Option<Value> {
    let host = url.domain()?.trim_end_matches('.');
    if !is_within(host, "reddit.com") {
        return None;
    }
    let nodes = embedded?.nodes();
    let is_post = |node: &&&Map<String, Value>| {
        json_ld::is_one_of(node, "DiscussionForumPosting SocialMediaPosting")
    };
    let post = *nodes.iter().find(is_post)?;
    let votes = statistic(post, "LikeAction UpvoteAction VoteAction")
        .or_else(|| whole_number(post.get("upvoteCount")));
    let comments = whole_number(post.get("commentCount"))
        .or_else(|| statistic(post, "CommentAction ReplyAction WriteAction"));
    if votes.is_none() && comments.is_none() {
        return None;
    }
    let published = json_ld::text(post.get("datePublished"));
    let published = published.filter(|time| time.len() <= 40 && PartialDate::parse(time).is_some());
    let author = json_ld::name(post.get("author"), &nodes);
    let note = match votes {
        None => Some(
            "The page does not say how many votes this post has, so nothing speaks for it but \
             itself.",
        ),
        Some(votes) if votes < MIN_VOTES => Some(
            "Fewer than 20 votes: a few accounts can make so many, so they say little about this \
             post.",
        ),
        Some(_) => None,
    };
    let mut signals = json!({
        "platform": "reddit",
        "upvotes": votes.unwrap_or(0),
        "comments": comments.unwrap_or(0),
    });
    for (name, value) in [
        ("datePublished", published),
        (
            "authorName",
            author.map(|name| beginning(&name, 100).to_owned()),
        ),
        ("credibilityNote", note.map(str::to_owned)),
    ] {
        if let Some(value) = value {
            signals[name] = value.into();
        }
    }
    Some(signals)
}

/// Returns the number that `interactionStatistic` has for one of these actions. A single counter
/// without an action counts votes.
fn statistic(post: &Map<String, Value>, actions: &str) -> Option<i64> {
    let is_among = |action: &str| actions.split(' ').any(|one| one == action);
    let counters = match post.get("interactionStatistic")? {
        Value::Array(list) => list.as_slice(),
        one => std::slice::from_ref(one),
    };
    let alone = counters.len() == 1 && is_among("LikeAction");
    counters.iter().take(32).find_map(|counter| {
        let counted = match counter.get("interactionType") {
            Some(Value::String(action)) => is_among(json_ld::local_name(action)),
            Some(Value::Object(action)) => json_ld::is_one_of(action, actions),
            Some(_) => false,
            None => alone,
        };
        let number = counter
            .get("userInteractionCount")
            .or_else(|| counter.get("interactionCount"));
        counted.then(|| whole_number(number)).flatten()
    })
}

/// Parses a number, also one within a text: `1,234`.
fn whole_number(value: Option<&Value>) -> Option<i64> {
    match value? {
        Value::Number(number) => number.as_i64().or_else(|| {
            let number = number.as_f64()?;
            // A fractional count, or one beyond any forum's, is ignored.
            let sound = number.fract() == 0.0 && number.abs() < 1e15;
            #[allow(
                clippy::cast_possible_truncation,
                reason = "it is whole and small enough"
            )]
            sound.then_some(number as i64)
        }),
        Value::String(text) => text.trim().replace(',', "").parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn post_signals(host: &str, post: &Value) -> Value {
        let url = Url::parse(&format!("https://{host}/r/rust/comments/1/x/")).unwrap();
        let html = format!("<script type=application/ld+json>{post}</script>");
        let signals = signals(&url, Some(&EmbeddedData::read(&html)));
        serde_json::to_value(signals).unwrap()
    }

    fn post(votes: &Value) -> Value {
        json!({
            "@context": "https://schema.org", "@type": "DiscussionForumPosting",
            "author": {"@type": "Person", "name": "ada", "url": "https://www.reddit.com/user/ada/"},
            "datePublished": "2024-05-17T10:00:00.000Z", "commentCount": 7,
            "interactionStatistic": votes,
        })
    }

    fn counter(action: &Value, count: &Value) -> Value {
        json!({"@type": "InteractionCounter", "interactionType": action,
               "userInteractionCount": count})
    }

    #[test]
    fn votes_and_comments_are_read_from_the_post() {
        let votes = counter(&json!("https://schema.org/LikeAction"), &json!(123));
        assert_eq!(
            post_signals(
                "www.reddit.com",
                &post(&json!([
                    counter(&json!("https://schema.org/CommentAction"), &json!(9)),
                    votes
                ]))
            ),
            json!({
                "platform": "reddit", "upvotes": 123, "comments": 7,
                "datePublished": "2024-05-17T10:00:00.000Z", "authorName": "ada",
            })
        );
        for (statistic, upvotes) in [
            (
                counter(&json!({"@type": "LikeAction"}), &json!("1,234")),
                1234,
            ),
            (
                counter(&json!("http://schema.org/VoteAction"), &json!(50.0)),
                50,
            ),
            (json!({"userInteractionCount": 77}), 77),
        ] {
            assert_eq!(
                post_signals("reddit.com", &post(&statistic))["upvotes"],
                upvotes
            );
        }
        let graph = json!({"@graph": [{"@type": "WebPage"}, post(&votes)]});
        assert_eq!(post_signals("old.reddit.com", &graph)["upvotes"], 123);
        let counted = json!({"@type": "DiscussionForumPosting", "interactionStatistic":
            [counter(&json!("https://schema.org/CommentAction"), &json!(9))]});
        assert_eq!(post_signals("reddit.com", &counted)["comments"], 9);
    }

    #[test]
    fn few_votes_are_remarked_on() {
        let note = |count: &Value| {
            let votes = counter(&json!("https://schema.org/LikeAction"), count);
            post_signals("reddit.com", &post(&votes))["credibilityNote"].clone()
        };
        assert!(note(&json!(19)).as_str().unwrap().contains("20 votes"));
        assert!(note(&json!(-3)).is_string());
        assert_eq!(note(&json!(20)), Value::Null);
        let unknown = post_signals("reddit.com", &post(&json!([])));
        assert_eq!(unknown["upvotes"], 0);
        assert!(
            unknown["credibilityNote"]
                .as_str()
                .unwrap()
                .contains("does not say")
        );
    }

    #[test]
    fn other_hosts_and_pages_have_no_signals() {
        let votes = counter(&json!("https://schema.org/LikeAction"), &json!(123));
        for host in [
            "notreddit.com",
            "reddit.com.example.org",
            "redd.it",
            "127.0.0.1",
        ] {
            assert_eq!(post_signals(host, &post(&votes)), Value::Null, "{host}");
        }
        assert_eq!(
            post_signals("reddit.com", &json!({"@type": "WebPage"})),
            Value::Null
        );
        assert_eq!(
            post_signals("reddit.com", &json!({"@type": "DiscussionForumPosting"})),
            Value::Null
        );
        let url = Url::parse("https://reddit.com/").unwrap();
        assert_eq!(signals(&url, None), None);
    }
}
