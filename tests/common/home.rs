//! A person's home, in which calls leave what they leave, with what a test sets and nothing that
//! whoever runs the tests has set.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::{Answer, Call, directory, tool};

/// Variables that a person may have set, and no test inherits.
const VARIABLES: [&str; 50] = [
    "ALLOWED_DOMAINS",
    "ALL_PROXY",
    "BRAVE_API_KEY",
    "CACHE_ENCRYPTION_KEY",
    "CROSSREF_EMAIL",
    "CUSTOM_LENSES_PATH",
    "EPO_CONSUMER_KEY",
    "EPO_CONSUMER_SECRET",
    "EPO_OPS_CONSUMER_KEY",
    "EPO_OPS_CONSUMER_SECRET",
    "EXA_API_KEY",
    "GOOGLE_CUSTOM_SEARCH_API_KEY",
    "GOOGLE_CUSTOM_SEARCH_ENGINE_ID",
    "GOOGLE_CUSTOM_SEARCH_ID",
    "GOOGLE_SEARCH_API_KEY",
    "GOOGLE_SEARCH_ENGINE_ID",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "IKIGAI_BROWSER_FLAGS",
    "IKIGAI_CONFIG_DIR",
    "IKIGAI_CROSSREF_URL",
    "IKIGAI_EXA_PAGES",
    "IKIGAI_EXA_URL",
    "IKIGAI_HN_URL",
    "IKIGAI_NO_CACHE",
    "IKIGAI_OCR",
    "IKIGAI_OFFICE",
    "IKIGAI_SESSION_TTL",
    "IKIGAI_WAYBACK_URL",
    "IKIGAI_YOUTUBE_URL",
    "LENS_API_TOKEN",
    "NO_PROXY",
    "OPENALEX_API_KEY",
    "PUBMED_API_KEY",
    "SEARCHAPI_API_KEY",
    "SEARCH_PROVIDER",
    "SEARCH_ROUTING",
    "SEARXNG_BASIC_AUTH",
    "SEARXNG_HEADERS",
    "SEARXNG_URL",
    "SEMANTIC_SCHOLAR_API_KEY",
    "SERPER_API_KEY",
    "TAVILY_API_KEY",
    "UNPAYWALL_EMAIL",
    "USPTO_API_KEY",
    "XDG_CONFIG_HOME",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// It, and the tool that is called from it.
pub struct Home {
    tool: &'static str,
    place: tempfile::TempDir,
    variables: Vec<(String, String)>,
}

impl Home {
    /// One from which this tool is called.
    pub fn of(tool: &'static str) -> Self {
        Self {
            tool,
            place: directory(),
            variables: Vec::new(),
        }
    }

    pub fn set(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same place, with nothing set.
    pub fn unset(mut self) -> Self {
        self.variables.clear();
        self
    }

    pub fn path(&self) -> &Path {
        self.place.path()
    }

    pub fn cache(&self) -> PathBuf {
        self.path().join("cache/ikigai-tools")
    }

    pub fn state(&self) -> PathBuf {
        self.path().join("state")
    }

    pub fn call(&self) -> Call {
        self.call_of(self.tool)
    }

    /// A call of this tool.
    pub fn call_of(&self, name: &str) -> Call {
        let call = tool(name).without_settings();
        let call = call
            .env("HOME", self.path())
            .env("XDG_CACHE_HOME", self.path().join("cache"))
            .env("XDG_STATE_HOME", self.state());
        let all = self.variables.iter();
        all.fold(call, |call, (name, value)| call.env(name, value))
    }

    /// The variables that make it a home, for whoever starts a program by themselves.
    pub fn environment(&self) -> Vec<(String, String)> {
        let place = |name: &str, below: &str| {
            let path = self.path().join(below);
            (name.to_owned(), path.to_str().unwrap().to_owned())
        };
        let mut all = vec![
            place("HOME", ""),
            place("XDG_CACHE_HOME", "cache"),
            place("XDG_STATE_HOME", "state"),
        ];
        all.extend(VARIABLES.map(|name| (name.to_owned(), String::new())));
        // An empty value would turn OCR off, and pages are cached for the program that there is.
        all.push(("IKIGAI_OCR".to_owned(), "tesseract".to_owned()));
        all.extend(self.variables.clone());
        all
    }

    /// The answer to a host's request, which shows no key.
    #[track_caller]
    pub fn ask(&self, request: &Value) -> Answer {
        let answer = self.call().with(request).run();
        let all = String::from_utf8_lossy(&answer.stdout).to_lowercase() + &answer.stderr;
        assert!(!all.contains("s3cret"), "{all}");
        answer
    }

    /// An answer that is no failure.
    #[track_caller]
    pub fn finds(&self, request: &Value) -> Value {
        let answer = self.ask(request);
        let json = answer.json();
        assert_eq!((answer.code(), answer.stderr.as_str()), (0, ""), "{json}");
        json
    }

    /// A failure with this code and nothing on stderr.
    #[track_caller]
    pub fn fails(&self, request: &Value, code: &str) -> Value {
        let answer = self.ask(request);
        let json = answer.json();
        assert_eq!(json["success"], false, "{json}");
        assert_eq!(json["error_code"], code, "{json}");
        assert_eq!((answer.code(), answer.stderr.as_str()), (1, ""));
        json
    }

    /// The entries of the cache.
    pub fn entries(&self) -> Vec<PathBuf> {
        let Ok(all) = fs::read_dir(self.cache()) else {
            return Vec::new();
        };
        let mut all: Vec<PathBuf> = all.map(|entry| entry.unwrap().path()).collect();
        all.sort();
        all
    }

    /// Makes every entry of the cache so old.
    pub fn age(&self, seconds: u64) {
        for path in self.entries() {
            let file = fs::File::options().write(true).open(path).unwrap();
            let time = SystemTime::now() - Duration::from_secs(seconds);
            file.set_modified(time).unwrap();
        }
    }
}

impl Call {
    /// Without what a person may have set.
    pub fn without_settings(self) -> Self {
        VARIABLES
            .iter()
            .fold(self, |call, name| call.without_env(name))
    }
}
