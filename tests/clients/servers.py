"""Pages and the services that find them, papers and patents, on a free port of this machine, which is printed.

The papers and patents are made up, and so is what is said in them."""

import http.server
import json

DOI = "10.5555/heat.2021.17"


def html(head, *paragraphs):
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return (
        "text/html; charset=utf-8",
        f"<!doctype html><html lang=en><head>{head}</head><body><main>{body}</main></body></html>",
    )


def as_json(value):
    return "application/json", json.dumps(value)


# An article, which the index of papers knows as well.
DEFROST = html(
    f"""<title>Defrosting air-source heat pumps | Journal of Made-up Results</title>
    <meta name=citation_title content="Defrosting air-source heat pumps: 40% &amp; more">
    <meta name=citation_author content="Müller, Jörg"><meta name=citation_author content="Doe, Jane">
    <meta name=citation_journal_title content="Journal of Made-up Results">
    <meta name=citation_publication_date content="2021/03/04"><meta name=citation_doi content="{DOI}">""",
    "Frost on the evaporator of an air-source heat pump takes 17 percent of the heat that it yields in a winter. " * 5,
    "We compared reversing the cycle with a bypass of hot gas on forty units of six makers, in a chamber at -7 °C. "
    * 5,
)

FIELD_TRIAL = html(
    """<title>A field trial of 120 heat pumps in old houses</title>
    <script type="application/ld+json">{"@context": "https://schema.org", "@type": "Article",
    "headline": "A field trial of 120 heat pumps in old houses", "datePublished": "2023-11-20",
    "author": [{"@type": "Person", "name": "Ngozi Okafor"}]}</script>""",
    "In a hundred and twenty houses of before 1979 the seasonal performance was measured for two winters. " * 5,
    "At temperatures below -10 °C the electric heater gave a twentieth of the heat. " * 5,
    # More than any client lets through to its model.
    *[f"House {n} was kept at {18 + n % 5} °C, and its heat pump was off for {n * 7 % 90} hours." for n in range(900)],
)

# A page that says nothing of whoever wrote it.
PRIMER = html(
    "<title>How heat pumps are rated: EN 14825 in plain words</title>",
    "Standard EN 14825 rates a heat pump at four temperatures, of which the coldest is -7 °C. " * 5,
    "Defrosting counts, since a test goes on over whole cycles of it. " * 5,
)


def found(origin):
    """The pages as a search finds them; the first one comes twice."""
    return [
        (
            f"{origin}/pages/defrost",
            "Defrosting air-source heat pumps",
            "Forty units of six makers were compared. Frost on the evaporator takes 17 percent of the heat.",
        ),
        (f"{origin}/pages/field-trial", "A field trial of 120 heat pumps", "Measured for two winters"),
        (f"{origin}/pages/defrost?utm_source=list#top", "Defrosting air-source heat pumps", "Frost"),
        (f"{origin}/pages/primer", "How heat pumps are rated", "EN 14825 in plain words"),
    ]


def searxng(origin):
    return as_json({"results": [{"url": url, "title": title, "content": text} for url, title, text in found(origin)]})


def paper(doi, title, year, journal, *authors):
    return {
        "id": f"https://openalex.org/W{year}",
        "doi": f"https://doi.org/{doi}",
        "display_name": title,
        "publication_year": year,
        "publication_date": f"{year}-03-04",
        "authorships": [{"author": {"display_name": author}} for author in authors],
        "primary_location": {"landing_page_url": f"https://doi.org/{doi}", "source": {"display_name": journal}},
        "open_access": {"is_oa": True},
        "cited_by_count": 12,
        "abstract_inverted_index": {"Frost": [0], "costs": [1], "heat.": [2]},
    }


PAPERS = [
    paper(
        DOI,
        "Defrosting air-source heat pumps: 40% & more",
        2021,
        "Journal of Made-up Results",
        "Jörg Müller",
        "Jane Doe",
    ),
    paper(
        "10.5555/heat.2024.3", "Refrigerants at −25 °C: R-290 <i>and</i> R-744", 2024, "Cold & Co.", "Ada van der Berg"
    ),
]

CROSSREF = {
    "DOI": DOI.upper(),
    "title": ["Defrosting air-source heat pumps: 40% &amp; more"],
    "is-referenced-by-count": 11,
}

ARXIV = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom">
<entry><id>http://arxiv.org/abs/2101.00001v2</id><title>Frost where $x&lt;y$</title><published>2021-01-02T03:04:05Z</published>
<summary>We predict it.</summary><author><name>Li Wei</name></author><author><name>Grace O'Neil</name></author></entry></feed>"""

SEMANTICSCHOLAR = {"paperId": "a1", "externalIds": {"DOI": DOI}, "title": "Defrosting heat pumps", "year": 2021}


def patent(serial, title, applicant, inventor):
    return {
        "jurisdiction": "US",
        "doc_number": serial,
        "kind": "B2",
        "publication_type": "GRANTED_PATENT",
        "biblio": {
            "invention_title": [{"text": title, "lang": "en"}],
            "application_reference": {"jurisdiction": "US", "doc_number": f"a{serial}", "date": "2018-07-03"},
            "parties": {
                "applicants": [{"extracted_name": {"value": applicant}}],
                "inventors": [{"extracted_name": {"value": inventor}}],
            },
        },
        "abstract": [{"text": "A valve and a sensor.", "lang": "en"}],
        "legal_status": {"granted": True, "grant_date": "2020-12-25", "patent_status": "ACTIVE"},
    }


PATENTS = [
    patent("99999001", "Bypass of hot gas for a heat pump", "MADE UP HEAT INC", "LINDQVIST EVA"),
    patent("99999002", "Sensor of frost", "MADE UP SENSORS LLC", "ABE KENJI"),
]

ANSWERS = {
    "/page": ("text/html; charset=utf-8", "<title>A page</title><h1>Hello</h1><p>from <em>here</em></p>"),
    "/brave": as_json({"web": {"results": [{"title": "Hit", "url": "https://example.com/", "description": "found"}]}}),
    "/google": as_json({"items": [{"title": "Hit", "link": "https://example.com/", "snippet": "found"}]}),
    "/pages/defrost": DEFROST,
    "/pages/field-trial": FIELD_TRIAL,
    "/pages/primer": PRIMER,
    "/searxng/search": searxng,
    "/openalex": as_json({"meta": {"count": len(PAPERS)}, "results": PAPERS}),
    "/crossref": as_json({"message": {"total-results": 1, "items": [CROSSREF]}}),
    "/arxiv": ("application/atom+xml", ARXIV),
    "/semanticscholar": as_json({"total": 1, "data": [SEMANTICSCHOLAR]}),
    f"/crossref/{DOI}": as_json({"message": {"DOI": DOI}}),
    "/lens": as_json({"total": len(PATENTS), "data": PATENTS}),
}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        answer = ANSWERS.get(self.path.split("?")[0].replace("%2F", "/"), ("text/plain", ""))
        if callable(answer):
            answer = answer(f"http://127.0.0.1:{self.server.server_address[1]}")
        kind, body = answer
        body = body.encode()
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.do_GET()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
