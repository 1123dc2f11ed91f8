//! The table of hosts, in groups, with the reason for each.

use super::Known;
use crate::page::class::{AuthorityTier, DomainCategory, SourceType};

use AuthorityTier::{High, Low, Medium};
use DomainCategory::{Academic, Financial, General, Legal, Medical, Technical};
use SourceType::{
    Blog, Forum, Government, NewsPublication, OfficialDocs, PeerReviewed, SocialMedia, Unknown,
    Wiki,
};

/// Hosts of which the same is known.
pub struct Group {
    /// What is known of each.
    pub known: Known,
    /// Their names; those of their subdomains are not needed.
    pub hosts: &'static [&'static str],
}

const fn group(
    source: SourceType,
    authority: AuthorityTier,
    category: DomainCategory,
    hosts: &'static [&'static str],
) -> Group {
    Group {
        known: Known {
            source,
            authority,
            category,
            open: false,
            scholarly: matches!(source, PeerReviewed),
        },
        hosts,
    }
}

/// A group of hosts where what appears is not reviewed before.
const fn open(
    source: SourceType,
    authority: AuthorityTier,
    category: DomainCategory,
    hosts: &'static [&'static str],
) -> Group {
    let mut group = group(source, authority, category, hosts);
    group.known.open = true;
    group
}

/// The same, of scholarly works.
const fn preprints(category: DomainCategory, hosts: &'static [&'static str]) -> Group {
    let mut group = open(Unknown, Medium, category, hosts);
    group.known.scholarly = true;
    group
}

/// The groups. No host is in two.
pub const GROUPS: &[Group] = &[
    // Journals and the platforms of their publishers: articles are reviewed before they appear.
    group(
        PeerReviewed,
        High,
        Academic,
        &[
            "nature.com",
            "science.org",
            "pnas.org",
            "cell.com",
            "plos.org",
            "royalsocietypublishing.org",
            "elifesciences.org",
            "sciencedirect.com",
            "link.springer.com",
            "biomedcentral.com",
            "onlinelibrary.wiley.com",
            "tandfonline.com",
            "journals.sagepub.com",
            "academic.oup.com",
            "cambridge.org",
            "jstor.org",
            "pubs.acs.org",
            "pubs.rsc.org",
            "journals.aps.org",
            "iopscience.iop.org",
            "annualreviews.org",
            "projecteuclid.org",
            "muse.jhu.edu",
            "journals.uchicago.edu",
            "direct.mit.edu",
            "jmlr.org",
            "aclanthology.org",
            "openaccess.thecvf.com",
        ],
    ),
    // Publishers whose review has been disputed often enough that it is no mark of its own.
    group(
        PeerReviewed,
        Medium,
        Academic,
        &["mdpi.com", "frontiersin.org", "hindawi.com"],
    ),
    // Journals of computing and engineering.
    group(
        PeerReviewed,
        High,
        Technical,
        &["ieeexplore.ieee.org", "dl.acm.org", "usenix.org"],
    ),
    // Journals of medicine, and the archives of articles from them.
    group(
        PeerReviewed,
        High,
        Medical,
        &[
            "nejm.org",
            "thelancet.com",
            "bmj.com",
            "jamanetwork.com",
            "cochranelibrary.com",
            "acpjournals.org",
            "ahajournals.org",
            "pubmed.ncbi.nlm.nih.gov",
            "pmc.ncbi.nlm.nih.gov",
            "europepmc.org",
        ],
    ),
    // Archives of preprints: screened, not reviewed.
    preprints(
        Academic,
        &[
            "arxiv.org",
            "biorxiv.org",
            "chemrxiv.org",
            "ssrn.com",
            "osf.io",
            "preprints.org",
            "researchsquare.com",
            "zenodo.org",
            "hal.science",
            "researchgate.net",
            "academia.edu",
        ],
    ),
    preprints(Medical, &["medrxiv.org"]),
    // The resolver of DOIs.
    preprints(Academic, &["doi.org"]),
    // Institutes of research whose names have no academic suffix.
    group(
        Unknown,
        High,
        Academic,
        &[
            "ethz.ch",
            "epfl.ch",
            "mpg.de",
            "cnrs.fr",
            "inria.fr",
            "cern.ch",
            "tum.de",
            "lmu.de",
            "utoronto.ca",
            "mcgill.ca",
            "ubc.ca",
            "tudelft.nl",
            "uva.nl",
            "kuleuven.be",
            "ku.dk",
            "uu.se",
            "helsinki.fi",
        ],
    ),
    // Authorities of health, on their own subject.
    group(
        Government,
        High,
        Medical,
        &[
            "nih.gov",
            "cdc.gov",
            "fda.gov",
            "hhs.gov",
            "medlineplus.gov",
            "clinicaltrials.gov",
            "nhs.uk",
            "nice.org.uk",
            "ema.europa.eu",
            "ecdc.europa.eu",
            "who.int",
            "rki.de",
            "tga.gov.au",
        ],
    ),
    // Courts, parliaments and registers of law.
    group(
        Government,
        High,
        Legal,
        &[
            "congress.gov",
            "govinfo.gov",
            "federalregister.gov",
            "ecfr.gov",
            "supremecourt.gov",
            "uscourts.gov",
            "justice.gov",
            "ftc.gov",
            "uspto.gov",
            "copyright.gov",
            "legislation.gov.uk",
            "judiciary.uk",
            "parliament.uk",
            "eur-lex.europa.eu",
            "curia.europa.eu",
            "legifrance.gouv.fr",
            "gesetze-im-internet.de",
            "bundesverfassungsgericht.de",
            "bundestag.de",
            "legislation.gov.au",
            "laws-lois.justice.gc.ca",
        ],
    ),
    // Central banks, treasuries and supervisors of markets.
    group(
        Government,
        High,
        Financial,
        &[
            "sec.gov",
            "federalreserve.gov",
            "treasury.gov",
            "irs.gov",
            "bea.gov",
            "fdic.gov",
            "consumerfinance.gov",
            "bankofengland.co.uk",
            "fca.org.uk",
            "ecb.europa.eu",
            "bundesbank.de",
            "bafin.de",
            "banque-france.fr",
            "boj.or.jp",
            "imf.org",
            "worldbank.org",
            "bis.org",
        ],
    ),
    // Authorities of technology.
    group(
        Government,
        High,
        Technical,
        &[
            "nist.gov",
            "nasa.gov",
            "cisa.gov",
            "ncsc.gov.uk",
            "bsi.bund.de",
            "esa.int",
        ],
    ),
    // Authorities whose names have no suffix of a government's.
    group(
        Government,
        High,
        General,
        &[
            "europa.eu",
            "un.org",
            "oecd.org",
            "canada.ca",
            "admin.ch",
            "bund.de",
            "bundesregierung.de",
            "service-public.fr",
            "government.nl",
            "rijksoverheid.nl",
            "overheid.nl",
            "belgium.be",
            "government.se",
            "regeringen.se",
            "regjeringen.no",
            "valtioneuvosto.fi",
            "ipcc.ch",
        ],
    ),
    // Texts of laws and judgments, published by universities and foundations.
    group(
        Unknown,
        High,
        Legal,
        &[
            "law.cornell.edu",
            "courtlistener.com",
            "bailii.org",
            "oyez.org",
            "canlii.org",
        ],
    ),
    // What lawyers and publishers write on law.
    group(
        Unknown,
        Medium,
        Legal,
        &[
            "findlaw.com",
            "justia.com",
            "nolo.com",
            "lawfaremedia.org",
            "scotusblog.com",
        ],
    ),
    // Reference works on medicine with named editors.
    group(
        Unknown,
        High,
        Medical,
        &[
            "mayoclinic.org",
            "merckmanuals.com",
            "msdmanuals.com",
            "clevelandclinic.org",
        ],
    ),
    // What is written on health for everybody.
    group(
        Unknown,
        Medium,
        Medical,
        &["webmd.com", "healthline.com", "drugs.com", "medscape.com"],
    ),
    // Exchanges, and what is written on markets.
    group(
        Unknown,
        Medium,
        Financial,
        &[
            "investopedia.com",
            "morningstar.com",
            "nasdaq.com",
            "nyse.com",
            "finance.yahoo.com",
            "marketwatch.com",
            "seekingalpha.com",
            "fool.com",
            "nerdwallet.com",
        ],
    ),
    // Newspapers of business.
    group(
        NewsPublication,
        High,
        Financial,
        &[
            "ft.com",
            "wsj.com",
            "bloomberg.com",
            "handelsblatt.com",
            "lesechos.fr",
        ],
    ),
    group(
        NewsPublication,
        Medium,
        Financial,
        &["cnbc.com", "businessinsider.com", "forbes.com"],
    ),
    // News on technology and science.
    group(
        NewsPublication,
        Medium,
        Technical,
        &[
            "arstechnica.com",
            "theregister.com",
            "wired.com",
            "theverge.com",
            "techcrunch.com",
            "heise.de",
            "zdnet.com",
            "lwn.net",
        ],
    ),
    // Agencies, broadcasters and newspapers with published corrections.
    group(
        NewsPublication,
        High,
        General,
        &[
            "reuters.com",
            "apnews.com",
            "afp.com",
            "bbc.com",
            "bbc.co.uk",
            "npr.org",
            "pbs.org",
            "nytimes.com",
            "washingtonpost.com",
            "theguardian.com",
            "economist.com",
            "lemonde.fr",
            "spiegel.de",
            "zeit.de",
            "faz.net",
            "sueddeutsche.de",
            "tagesschau.de",
            "elpais.com",
            "nzz.ch",
            "abc.net.au",
            "cbc.ca",
            "nhk.or.jp",
        ],
    ),
    // Other news.
    group(
        NewsPublication,
        Medium,
        General,
        &[
            "cnn.com",
            "nbcnews.com",
            "cbsnews.com",
            "abcnews.go.com",
            "usatoday.com",
            "latimes.com",
            "politico.com",
            "axios.com",
            "theatlantic.com",
            "time.com",
            "newsweek.com",
            "independent.co.uk",
            "telegraph.co.uk",
            "aljazeera.com",
            "dw.com",
            "euronews.com",
            "france24.com",
            "thehindu.com",
            "foxnews.com",
            "nypost.com",
        ],
    ),
    // Tabloids.
    group(
        NewsPublication,
        Low,
        General,
        &["dailymail.co.uk", "thesun.co.uk", "mirror.co.uk", "bild.de"],
    ),
    // Documentation by those who make what it describes, and bodies that set standards.
    group(
        OfficialDocs,
        High,
        Technical,
        &[
            "developer.mozilla.org",
            "docs.python.org",
            "python.org",
            "doc.rust-lang.org",
            "rust-lang.org",
            "go.dev",
            "nodejs.org",
            "typescriptlang.org",
            "react.dev",
            "vuejs.org",
            "angular.dev",
            "kubernetes.io",
            "docs.docker.com",
            "docs.github.com",
            "docs.gitlab.com",
            "git-scm.com",
            "learn.microsoft.com",
            "docs.aws.amazon.com",
            "cloud.google.com",
            "developers.google.com",
            "developer.android.com",
            "developer.apple.com",
            "docs.oracle.com",
            "postgresql.org",
            "sqlite.org",
            "dev.mysql.com",
            "redis.io",
            "mongodb.com",
            "nginx.org",
            "httpd.apache.org",
            "kernel.org",
            "gnu.org",
            "debian.org",
            "man7.org",
            "php.net",
            "ruby-lang.org",
            "kotlinlang.org",
            "swift.org",
            "cppreference.com",
            "docs.djangoproject.com",
            "pytorch.org",
            "tensorflow.org",
            "numpy.org",
            "modelcontextprotocol.io",
            "platform.openai.com",
            "docs.anthropic.com",
            "ietf.org",
            "rfc-editor.org",
            "w3.org",
            "whatwg.org",
            "ecma-international.org",
            "unicode.org",
            "iso.org",
        ],
    ),
    // Documentation that each project writes and nobody looks over.
    group(
        OfficialDocs,
        Medium,
        Technical,
        &[
            "readthedocs.io",
            "readthedocs.org",
            "docs.rs",
            "hexdocs.pm",
            "pkg.go.dev",
        ],
    ),
    // Software, published by whoever wrote it.
    open(
        Unknown,
        Medium,
        Technical,
        &[
            "github.com",
            "gitlab.com",
            "codeberg.org",
            "bitbucket.org",
            "sourceforge.net",
            "pypi.org",
            "npmjs.com",
            "crates.io",
            "huggingface.co",
        ],
    ),
    // Questions and answers on software, where readers vote.
    open(
        Forum,
        Medium,
        Technical,
        &[
            "stackoverflow.com",
            "serverfault.com",
            "superuser.com",
            "askubuntu.com",
            "stackexchange.com",
            "news.ycombinator.com",
            "lobste.rs",
        ],
    ),
    // Discussions among whoever signs up.
    open(
        Forum,
        Low,
        General,
        &[
            "reddit.com",
            "quora.com",
            "4chan.org",
            "gutefrage.net",
            "answers.yahoo.com",
        ],
    ),
    // Encyclopedias written by their readers, who look over each other's work.
    open(
        Wiki,
        Medium,
        General,
        &[
            "wikipedia.org",
            "wikidata.org",
            "wikimedia.org",
            "wiktionary.org",
            "wikibooks.org",
        ],
    ),
    // Wikis of smaller circles.
    open(
        Wiki,
        Low,
        General,
        &["fandom.com", "wikihow.com", "miraheze.org", "wikia.com"],
    ),
    open(
        Wiki,
        Medium,
        Technical,
        &["wiki.archlinux.org", "wiki.debian.org", "wiki.gentoo.org"],
    ),
    // Networks where everybody publishes at once.
    open(
        SocialMedia,
        Low,
        General,
        &[
            "x.com",
            "twitter.com",
            "facebook.com",
            "instagram.com",
            "tiktok.com",
            "linkedin.com",
            "threads.net",
            "bsky.app",
            "mastodon.social",
            "pinterest.com",
            "tumblr.com",
            "youtube.com",
            "vk.com",
            "weibo.com",
            "t.me",
        ],
    ),
    // Houses for blogs: each author answers alone.
    open(
        Blog,
        Low,
        General,
        &[
            "medium.com",
            "substack.com",
            "wordpress.com",
            "blogspot.com",
            "blogger.com",
            "ghost.io",
            "hubpages.com",
            "livejournal.com",
        ],
    ),
    open(
        Blog,
        Low,
        Technical,
        &["dev.to", "hashnode.dev", "github.io", "gitlab.io"],
    ),
];
