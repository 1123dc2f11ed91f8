"""What the scripted model does. It knows its question, and beside that only what the answers to its calls say: each
identifier, address and text that it sends comes from them."""

import re

UUID = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"
FORMATS = ["bibtex", "csl-json", "ris", "markdown"]

# How a user asks, first and after all that was known is lost.
RESEARCH = "Research this question, and keep a trail of what you do: "
RECOVERY = "You were at work on a question and have lost all that you knew. Go on, and export the sources. It was: "


def only(pattern, text):
    """The part of the text that the pattern is for; the model would have nothing to go on with otherwise."""
    found = re.search(pattern, text, re.MULTILINE)
    assert found, f"no {pattern} in what the model was told: {text}"
    return found[1] if found.re.groups else found[0]


def addresses(text):
    return list(dict.fromkeys(re.findall(r"https?://[^\s<>)\]]+", text)))


def step(number, words, **more):
    return "sequential_search", {"searchStep": words, "stepNumber": number, "nextStepNeeded": True, **more}


def research(question, told):
    """Twelve calls, each made of what the earlier ones have told."""

    def session():
        return {"sessionId": only(UUID, told[0])}

    return [
        lambda: step(1, "Look around", researchGoal=question, totalStepsEstimate=5),
        lambda: ("web_search", {"query": question, "claim": "Frost takes heat", **session()}),
        lambda: ("scrape_page", {"url": addresses(told[1])[0], **session()}),
        lambda: ("search_and_scrape", {"query": question, **session()}),
        lambda: ("academic_search", {"query": only(r"^title: (.*)", told[2]), **session()}),
        lambda: step(2, f"Papers: {papers(told[4])}", confidence="medium", **session()),
        lambda: ("patent_search", {"query": question, "patent_office": "US", **session()}),
        lambda: step(3, "Who owns the bypass?", knowledgeGap=f"Is {patent(told[6])} in use?", **session()),
        lambda: ("scrape_page", {"url": addresses(told[1])[1], **session()}),
        lambda: ("web_fetch", {"url": addresses(told[1])[1], **rest(told[8])}),
        lambda: ("get_research_session", session()),
        lambda: step(4, "Compare them", sessionSummary="Frost costs 17 percent.", confidence="high", **session()),
    ]


def papers(text):
    return "; ".join(re.findall(r"^\d+\. (.*)", text, re.MULTILINE))


def patent(text):
    return only(r"\bUS\d+[A-Z]\d\b", text)


def rest(text):
    """What a page that is not shown whole says of its rest."""
    return {"offset": int(only(r"go on with web_fetch, offset (\d+), main_only true", text)), "main_only": True}


def recovery(question, told):
    """The session is found by its question, and gone on with from where it is."""

    def session():
        return {"sessionId": only(f"({UUID}).*{re.escape(question)}", told[0])}

    def last():
        return max(int(number) for number in re.findall(r"^- (\d+) ", told[1], re.MULTILINE))

    def gap():
        return only(r"## Gaps\n\n- (.*)", told[1])

    def open_step():
        """The step that has left the gap."""
        return int(only(rf"### Step (\d+)\n\n.*\n\n- Gap: {re.escape(gap())}", told[1]))

    return [
        lambda: ("get_research_session", {}),
        lambda: ("get_research_session", session()),
        lambda: ("get_research_session", {"stepId": open_step(), **session()}),
        lambda: step(
            last() + 1,
            f"Answered: {gap()}",
            nextStepNeeded=False,
            isRevision=True,
            revisesStep=open_step(),
            **session(),
        ),
        *(lambda form=form: ("research_export", {"format": form, **session()}) for form in FORMATS),
    ]


def next_call(prompt, told):
    """The call that comes next, or None at the end."""
    for begins, calls in (RESEARCH, research), (RECOVERY, recovery):
        found = re.search(re.escape(begins) + "(.*)", prompt)
        if found:
            left = calls(found[1].strip(), told)[len(told) :]
            return left[0]() if left else None
    raise AssertionError(f"nobody asked for anything: {prompt}")
