//! Lenses: named lists of domains that restrict a search to the sites of its subject. Some are
//! compiled in, others come from files; of two with the same name the later one counts.

use crate::credentials::Credentials;
use crate::hosts;

mod files;

/// A named list of domains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lens {
    /// Name, in lower case.
    pub name: String,
    /// Purpose, as a sentence.
    pub description: String,
    /// Domains, each with its subdomains.
    pub domains: Vec<String>,
    /// ID of a Google search engine for the same domains.
    pub cx: Option<String>,
}

/// All lenses available to a user.
#[derive(Clone, Debug, Default)]
pub struct LensCatalog {
    all: Vec<Lens>,
    /// Files that could not be used, each with the reason: a sentence.
    pub problems: Vec<String>,
}

impl LensCatalog {
    /// Loads the built-in lenses, those in `lenses/` of the first configuration directory that has
    /// one, and those in the files and directories that `CUSTOM_LENSES_PATH` names.
    #[must_use]
    pub fn load(credentials: &Credentials<'_>) -> Self {
        let mut lenses = Self::compiled_in();
        for place in files::places(credentials) {
            lenses.add(&place);
        }
        lenses
    }

    /// Returns the built-in lenses.
    #[must_use]
    pub(crate) fn compiled_in() -> Self {
        let all = hosts::lenses().map(|row| Lens {
            name: row.name.to_owned(),
            description: row.description.to_owned(),
            domains: row.hosts.split(' ').map(str::to_owned).collect(),
            cx: None,
        });
        Self {
            all: all.collect(),
            problems: Vec::new(),
        }
    }

    fn add(&mut self, place: &std::path::Path) {
        for read in files::read(place) {
            match read {
                Ok(lens) => {
                    self.all.retain(|one| one.name != lens.name);
                    self.all.push(lens);
                }
                Err(problem) => self.problems.push(problem),
            }
        }
    }

    /// Returns all lenses, sorted by name.
    #[must_use]
    pub fn list(&self) -> Vec<&Lens> {
        let mut all: Vec<&Lens> = self.all.iter().collect();
        all.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        all
    }

    /// Finds a lens by its name, ignoring case; the error lists those that there are.
    pub fn find_lens(&self, name: &str) -> Result<&Lens, String> {
        let wanted = name.trim().to_lowercase();
        let named = self.all.iter().find(|lens| lens.name == wanted);
        named.ok_or_else(|| {
            let name: String = name.trim().chars().take(100).collect();
            let lenses: Vec<&str> = self.list().iter().map(|lens| &*lens.name).collect();
            let lenses = lenses.join(", ");
            let text = format!("There is no lens \"{name}\". There are: {lenses}.");
            let problems = self.problems.iter();
            problems.fold(text, |text, problem| text + " " + problem)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::search::DomainFilter;

    fn load_catalog(path: Option<&Path>, config: Option<&Path>) -> LensCatalog {
        let owned_text = |path: Option<&Path>| path.map(|path| path.to_str().unwrap().to_owned());
        let (path, config) = (owned_text(path), owned_text(config));
        let var = |name: &str| match name {
            "CUSTOM_LENSES_PATH" => path.clone(),
            "IKIGAI_CONFIG_DIR" => config.clone(),
            _ => None,
        };
        LensCatalog::load(&Credentials::from_vars(&var, None))
    }

    #[test]
    fn those_that_are_compiled_in_are_sound() {
        let lenses = LensCatalog::compiled_in();
        let names: Vec<&str> = lenses
            .list()
            .iter()
            .map(|lens| lens.name.as_str())
            .collect();
        assert_eq!(
            names,
            [
                "academic",
                "biomed",
                "clinical",
                "curriculum",
                "devops",
                "docs",
                "finance",
                "government",
                "legal",
                "medical",
                "news",
                "osint",
                "programming",
                "science",
                "security",
                "tech"
            ]
        );
        for lens in lenses.list() {
            let filter = DomainFilter::new(&lens.domains, &[]);
            assert_eq!(filter.allowed().unwrap(), lens.domains, "{}", lens.name);
            assert!((8..=40).contains(&lens.domains.len()), "{}", lens.name);
            assert!(lens.description.ends_with('.'), "{}", lens.name);
            // No domain is below another one of the same lens.
            let all: HashSet<&str> = lens.domains.iter().map(String::as_str).collect();
            for domain in &lens.domains {
                let mut domain_name = domain.as_str();
                while let Some((_, parent)) = domain_name.split_once('.') {
                    assert!(!all.contains(parent), "{domain} in {}", lens.name);
                    domain_name = parent;
                }
            }
        }
    }

    #[test]
    fn files_add_lenses_and_replace_them_and_the_later_one_counts() {
        let config = tempfile::tempdir().unwrap();
        let custom = tempfile::tempdir().unwrap();
        let lenses = config.path().join("lenses");
        fs::create_dir(&lenses).unwrap();
        let write = |place: &Path, name: &str, text: &str| {
            fs::write(place.join(name), text).unwrap();
        };
        write(
            &lenses,
            "a.json",
            r#"{"name":"News","description":"mine","domains":["HTTPS://Mine.example/x","mine.example"]}"#,
        );
        write(
            &lenses,
            "b.json",
            r#"[{"name":"own","domains":["b.example"]},{"name":"engine","cx":"abc"}]"#,
        );
        write(&lenses, "notes.txt", "no lens");
        write(
            custom.path(),
            "a.json",
            r#"{"name":"own","domains":["a.example"]}"#,
        );
        let catalog = load_catalog(Some(custom.path()), Some(config.path()));
        assert_eq!(catalog.problems, Vec::<String>::new());
        assert_eq!(catalog.find_lens("NEWS").unwrap().domains, ["mine.example"]);
        assert_eq!(catalog.find_lens("own").unwrap().domains, ["a.example"]);
        assert_eq!(
            catalog.find_lens("engine").unwrap().cx.as_deref(),
            Some("abc")
        );
        assert_eq!(catalog.list().len(), 18);
        let only = load_catalog(Some(&custom.path().join("a.json")), None);
        assert_eq!(only.find_lens("own").unwrap().domains, ["a.example"]);
    }

    #[test]
    fn a_file_that_is_no_lens_is_named_and_the_others_are_read() {
        let custom = tempfile::tempdir().unwrap();
        for (index, text) in [
            "{",
            "5",
            "[5]",
            r#"{"domains":["a.example"]}"#,
            r#"{"name":"x"}"#,
            r#"{"name":"x","domains":[]}"#,
            r#"{"name":"x","domains":"a.example"}"#,
            r#"{"name":"x","domains":["not a host!"]}"#,
            r#"{"name":"a b","domains":["a.example"]}"#,
        ]
        .iter()
        .enumerate()
        {
            fs::write(custom.path().join(format!("{index}.json")), text).unwrap();
        }
        rustix::fs::mknodat(
            rustix::fs::CWD,
            custom.path().join("pipe.json"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        fs::write(
            custom.path().join("z.json"),
            r#"{"name":"good","domains":["a.example"]}"#,
        )
        .unwrap();
        let catalog = load_catalog(Some(custom.path()), None);
        assert!(catalog.find_lens("good").is_ok());
        assert_eq!(catalog.problems.len(), 10, "{:#?}", catalog.problems);
        for problem in &catalog.problems {
            assert!(problem.contains(".json"), "{problem}");
        }
        let nowhere = load_catalog(Some(&custom.path().join("nowhere")), None);
        assert_eq!(nowhere.problems.len(), 1);
        assert_eq!(nowhere.list().len(), 16);
    }
}
