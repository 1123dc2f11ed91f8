"""Each agent researches, loses what it knew, and goes on from what the server kept.
Usage: research.py NODE_MODULES IKIGAI-TOOLS DIRECTORY"""

import json
import os
import pathlib
import re
import subprocess
import sys

import agents
import exports
import script
from model import Model

# Words of the answer to each call of a research.
RESEARCHED = [
    ("sequential_search", "Step 1 of about 5 is recorded"),
    ("web_search", "claim: Frost on the evaporator takes 17 percent"),
    ("scrape_page", "takes 17 percent of the heat"),
    ("search_and_scrape", "Standard EN 14825 rates a heat pump"),
    ("academic_search", "https://doi.org/10.5555/heat.2024.3"),
    ("sequential_search", "Step 2 of about 5 is recorded"),
    ("patent_search", "Sensor of frost"),
    ("sequential_search", "Step 3 of about 5 is recorded"),
    ("scrape_page", "House 9 was kept at"),
    ("web_fetch", "House "),
    ("get_research_session", "US99999001B2"),
    ("sequential_search", "- 4 (high) Compare them"),
]

RECOVERED = [
    ("get_research_session", "4 steps"),
    ("get_research_session", "Frost costs 17 percent."),
    ("get_research_session", "Who owns the bypass?"),
    ("sequential_search", "Step 5 of about 5 is recorded, and the research complete."),
    *[("research_export", "Refrigerants")] * len(script.FORMATS),
]

# Words of a tool whose call did not do all that it was to, and of an agent that has cut an answer.
TROUBLES = [
    "Nothing was recorded",
    "is not recorded yet",
    "did not answer",
    "INVALID_",
    "tokens truncated",
    "persisted-output",
    "Output too large",
]


def ask(agent, modules, room, binary, prompt):
    """Asks an agent that knows nothing. Returns its conversation with the model."""
    home = room / agent.__name__
    home.mkdir(exist_ok=True)
    # Three agents of one user.
    told = {name: value for name, value in os.environ.items() if name.startswith(("IKIGAI_", "LENS_", "SEARXNG_"))}
    told |= {"HOME": str(room), "XDG_STATE_HOME": str(room / "state"), "XDG_CACHE_HOME": str(room / "cache")}
    server = {"command": binary, "args": ["mcp", "--tools", "research,web-fetch"], "env": told}
    with Model() as model:
        command, variables = agent(modules, home, model, server, prompt)
        environment = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(home), **agents.QUIET, **variables}
        done = subprocess.run(
            command, cwd=home, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300
        )
    (home / f"asked-{len(list(home.glob('asked-*')))}.json").write_text(json.dumps(model.asked, indent=1))
    assert done.returncode == 0 and model.conversation and not model.fault, (
        agent.__name__,
        done.returncode,
        done.stdout[-2000:],
        done.stderr[-2000:],
        model.fault,
    )
    return model.conversation


def check(conversation, expected):
    """The model was told of all the tools, and what it was to know."""
    assert len(conversation.tools) == 9, conversation.tools
    assert len(conversation.calls) == len(expected), [name for name, _, _ in conversation.calls]
    for (name, sent, answer), (tool, words) in zip(conversation.calls, expected, strict=True):
        assert name.endswith(tool) and words in answer, (name, sent, words, answer)
        for trouble in TROUBLES:
            assert trouble not in answer, (name, sent, answer)


def main(modules, binary, room):
    modules, room = pathlib.Path(modules), pathlib.Path(room)
    for agent in agents.AGENTS:
        question = f"What does frost cost a heat pump, asks {agent.__name__}?"
        began = ask(agent, modules, room, binary, script.RESEARCH + question)
        check(began, RESEARCHED)
        went_on = ask(agent, modules, room, binary, script.RECOVERY + question)
        check(went_on, RECOVERED)
        # What was left open is not, and what was too long for one answer came in two.
        told = began.told(), went_on.told()
        assert "## Gaps" in told[1][1] and "## Gaps" not in told[1][3], told[1]
        shown, rest = (list(map(int, re.findall(r"^House (\d+) ", text, re.MULTILINE))) for text in told[0][8:10])
        assert shown + rest == list(range(rest[-1] + 1)) and rest, (shown, rest)
        texts = dict(zip(script.FORMATS, went_on.told()[-len(script.FORMATS) :], strict=True))
        exports.check(texts, room / agent.__name__)
        print(f"{agent.__name__} {agents.version(modules, agent)}: {len(began.calls)} and {len(went_on.calls)} calls")


if __name__ == "__main__":
    main(*sys.argv[1:])
