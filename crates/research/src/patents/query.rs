//! A search of patents, as its caller asks for it, and its parts as providers take them.

use url::Url;

use iki_web::search::query::name_of;
use iki_web::work::patent_number::PatentNumber;

/// Offices whose patents can be searched by themselves.
pub const OFFICES: [&str; 6] = ["US", "EP", "WO", "JP", "CN", "KR"];

/// Number of patents to ask a provider for, of which some are dropped.
const REQUESTED_RESULTS: usize = 25;

/// Number of results to request from a provider that cannot filter exactly by the date of filing.
const REQUESTED_RESULTS_BY_YEARS: usize = 50;

/// Legal forms of companies, which no two sources write the same way.
const LEGAL_FORMS: &str = "ab ag as asa bv co company corp corporation gmbh inc incorporated kg \
                           kgaa kk limited llc llp lp ltd nv oy oyj plc pte pty sa sarl sas se \
                           spa srl";

/// Purpose of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PatentSearchType {
    /// What there was before: the words anywhere, the best matches first.
    #[default]
    PriorArt,
    /// One patent: its number, or its title word by word.
    Specific,
    /// A field and who is in it: the newest first, each assignee once before any second time.
    Landscape,
}

impl PatentSearchType {
    /// All of them, by their names in a request.
    pub const NAMES: [(&'static str, Self); 3] = [
        ("prior_art", Self::PriorArt),
        ("specific", Self::Specific),
        ("landscape", Self::Landscape),
    ];

    /// Returns its name in a request.
    #[must_use]
    pub fn name(self) -> &'static str {
        name_of(&Self::NAMES, &self)
    }
}

/// A search of patents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatentSearch {
    /// The query; may be empty if an assignee or inventor is given.
    pub query: String,
    /// Number of patents wanted.
    pub count: usize,
    /// Purpose of the search.
    pub search_type: PatentSearchType,
    /// Office of the patents; `None` for all.
    pub office: Option<&'static str>,
    /// Words of the name of the owner or applicant, without its legal form.
    pub assignee: Option<String>,
    /// Words of the name of an inventor.
    pub inventor: Option<String>,
    /// Symbol of the Cooperative Patent Classification, or its beginning, without blanks.
    pub cpc_code: Option<String>,
    /// First year of filing.
    pub year_from: Option<u16>,
    /// Last year of filing.
    pub year_to: Option<u16>,
    /// Name of the provider to ask; `None` for the configured ones.
    pub provider: Option<String>,
}

impl PatentSearch {
    /// Returns the number that the search is for, if it is for one patent by its number. Without an
    /// office it is of the office that is searched, or else American.
    #[must_use]
    pub fn number(&self) -> Option<PatentNumber> {
        if self.search_type != PatentSearchType::Specific {
            return None;
        }
        let query = self.query.trim();
        PatentNumber::parse(query).or_else(|| {
            let digits = query.starts_with(|c: char| c.is_ascii_digit());
            let office = self.office.unwrap_or("US");
            PatentNumber::parse(&format!("{office}{query}"))
                .filter(|number| digits && number.serial.len() > 5)
        })
    }

    /// Returns the title that the search is for, word by word, if it is for one patent by its
    /// title.
    #[must_use]
    pub fn title(&self) -> Option<String> {
        let specific = self.search_type == PatentSearchType::Specific;
        let title = plain_words(&self.query);
        (specific && !title.is_empty() && self.number().is_none()).then_some(title)
    }

    /// Returns the words to search for, if the search is neither by number nor by title.
    #[must_use]
    pub fn words(&self) -> Option<String> {
        let words = plain_words(&self.query);
        (!words.is_empty() && self.search_type != PatentSearchType::Specific).then_some(words)
    }

    /// True if the newest patents come first.
    #[must_use]
    pub(crate) fn newest_first(&self) -> bool {
        self.search_type == PatentSearchType::Landscape
    }

    /// Returns the number of patents to ask a provider for.
    pub(crate) fn request_count(&self) -> usize {
        if self.year_from.or(self.year_to).is_some() {
            REQUESTED_RESULTS_BY_YEARS
        } else {
            REQUESTED_RESULTS
        }
    }

    /// Returns the first and last day of filing, in the form `2020-01-01`, if they are limited.
    #[must_use]
    pub(crate) fn filed_between(&self) -> (Option<String>, Option<String>) {
        let first = self.year_from.map(|year| format!("{year:04}-01-01"));
        let last = self.year_to.map(|year| format!("{year:04}-12-31"));
        (first, last)
    }

    /// Returns the query in the syntax of Google Patents.
    #[must_use]
    pub(crate) fn at_google(&self) -> String {
        let number = self.number().map(|number| number.to_string());
        let title = self.title().map(|title| format!("TI=\"{title}\""));
        let words = self.words();
        let code = self.cpc_code.as_deref();
        let code = code.map(|code| format!("CPC={code}/low"));
        let parts = [number, title, words, code];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        parts.join(" ")
    }

    /// Address at which a person can make the same search.
    #[must_use]
    pub fn search_url(&self) -> String {
        let address = format!("https://{}/", iki_web::work::patent_number::GOOGLE_PATENTS);
        let Ok(mut url) = Url::parse(&address) else {
            return address;
        };
        let day = |day: String| format!("filing:{}", day.replace('-', ""));
        let (first, last) = self.filed_between();
        let order = self.newest_first().then(|| "new".to_owned());
        let fields = [
            (
                "q",
                Some(self.at_google()).filter(|query| !query.is_empty()),
            ),
            ("assignee", self.assignee.clone()),
            ("inventor", self.inventor.clone()),
            ("country", self.office.map(str::to_owned)),
            ("after", first.map(day)),
            ("before", last.map(day)),
            ("sort", order),
        ];
        let mut pairs = url.query_pairs_mut();
        for (name, value) in fields {
            if let Some(value) = value {
                pairs.append_pair(name, &value);
            }
        }
        drop(pairs);
        url.into()
    }
}

/// Returns the words of a text without anything that a query language would take for its own.
#[must_use]
pub fn plain_words(text: &str) -> String {
    let word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | '\'' | '_');
    let words = text.split(|c| !word(c));
    let words = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let words = words.filter(|word| !word.is_empty());
    let words = words.map(|word| match word {
        "AND" | "OR" | "NOT" | "NEAR" | "ADJ" => word.to_lowercase(),
        word => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the name of a company without its legal forms.
#[must_use]
pub fn without_legal_form(name: &str) -> String {
    let mut remainder = name.trim();
    loop {
        let shorter = remainder.trim_end_matches([',', '.', ' ', '(', ')', '&']);
        let offset = shorter.rfind([' ', ',']).map_or(0, |offset| offset + 1);
        let last = shorter[offset..].replace(['.', '/'], "").to_lowercase();
        let ends = LEGAL_FORMS.split(' ').any(|form| form == last);
        if offset == 0 || !ends {
            return shorter.to_owned();
        }
        remainder = &shorter[..offset];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_company_is_known_without_its_legal_form() {
        for (name, expected) in [
            ("Kaltura, Inc.", "Kaltura"),
            ("Kaltura Inc", "Kaltura"),
            ("Samsung Electronics Co., Ltd.", "Samsung Electronics"),
            ("Robert Bosch GmbH", "Robert Bosch"),
            ("Google LLC", "Google"),
            ("Philips N.V.", "Philips"),
            ("STMicroelectronics S.A.", "STMicroelectronics"),
            ("Merck & Co., Inc.", "Merck"),
            ("Siemens AG & Co. KG", "Siemens"),
            ("Inc", "Inc"),
            ("Zinc", "Zinc"),
            ("Limited Brands", "Limited Brands"),
            (" ", ""),
        ] {
            assert_eq!(without_legal_form(name), expected, "{name}");
        }
    }

    #[test]
    fn a_specific_search_is_for_a_number_or_a_title() {
        let search = |query: &str, search_type, office| PatentSearch {
            query: query.to_owned(),
            search_type,
            office,
            ..PatentSearch::default()
        };
        let number = |query: &str, office| {
            let search = search(query, PatentSearchType::Specific, office);
            search.number().map(|number| number.to_string())
        };
        assert_eq!(number("US 10,165,245 B2", None).unwrap(), "US10165245B2");
        assert_eq!(number("10,165,245", None).unwrap(), "US10165245");
        assert_eq!(number("3456789", Some("EP")).unwrap(), "EP3456789");
        assert_eq!(number("5G networks", None), None);
        assert_eq!(number("2020", None), None);
        let title = search("A \"video\" CODEC", PatentSearchType::Specific, None);
        assert_eq!(title.title().as_deref(), Some("A video CODEC"));
        assert_eq!(title.words(), None);
        let art = search("US10165245B2", PatentSearchType::PriorArt, None);
        assert_eq!((art.number(), art.title()), (None, None));
        assert_eq!(art.words().as_deref(), Some("US10165245B2"));
    }

    #[test]
    fn a_query_s_own_syntax_is_taken_for_words() {
        for (text, expected) in [
            ("video (\"edge\" OR -cdn*) a:b", "video edge or cdn a b"),
            (
                "lithium-ion H.264 \u{96fb}\u{6c60}",
                "lithium-ion H.264 \u{96fb}\u{6c60}",
            ),
            ("\\ \" )", ""),
        ] {
            assert_eq!(plain_words(text), expected, "{text}");
        }
    }

    #[test]
    fn the_address_of_the_search_holds_all_of_it() {
        let search = PatentSearch {
            query: "video & edge".to_owned(),
            assignee: Some("Kaltura".to_owned()),
            office: Some("US"),
            cpc_code: Some("H04N21".to_owned()),
            year_from: Some(2015),
            year_to: Some(2018),
            ..PatentSearch::default()
        };
        assert_eq!(
            search.search_url(),
            "https://patents.google.com/?q=video+edge+CPC%3DH04N21%2Flow&assignee=Kaltura\
             &country=US&after=filing%3A20150101&before=filing%3A20181231"
        );
    }
}
