"""Words of Markdown and of plain text, and how near two texts come in them."""
import collections
import re
import unicodedata

# Runs of letters and digits.
WORDS = re.compile(r"[^\W_]+")
# Characters that only say in which direction a text runs, and where a word may be parted.
UNSEEN = re.compile("[\u00ad\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def plain(markdown):
    """Markdown without its markup."""
    markdown = re.sub(r"^\s*(```+|~~~+).*$", "", markdown, flags=re.M)
    markdown = re.sub(r"\]\((?:<[^>]*>|[^()\s]*(?:\([^)]*\)[^()\s]*)*)\)", "]", markdown)
    markdown = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown).replace("*", "")
    for entity, character in ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("&nbsp;", " "):
        markdown = markdown.replace(entity, character)
    return markdown


def words(text):
    """The words of a text in their order, case and compatibility forms aside (NFKC)."""
    return WORDS.findall(UNSEEN.sub("", unicodedata.normalize("NFKC", text)).lower())


def f1(one, other):
    """The F1 of two multisets; 1 where both are empty."""
    one, other = collections.Counter(one), collections.Counter(other)
    both = one.total() + other.total()
    return 2 * (one & other).total() / both if both else 1.0


def recall(one, reference):
    """The share of the reference's members that the other multiset has."""
    one, reference = collections.Counter(one), collections.Counter(reference)
    return (one & reference).total() / reference.total() if reference else 1.0
