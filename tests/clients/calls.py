"""A call for every tool, made from its schema, and what its result must be."""

import json
import os
import pathlib
import re


# The research session that a call has begun.
SESSION = {}


def arguments(tool, files):
    """What to send to a tool: each required field, and of the others the directory to search in."""
    file = pathlib.Path(files, "file")
    file.write_text("one\ntwo\n")
    known = {
        "command": "echo one",
        "file_path": str(file),
        "content": "one\nthree\n",
        "old_string": "two",
        "new_string": "three",
        "pattern": "one" if tool["name"] == "grep" else "*",
        "path": files,
        "url": os.environ["PAGE_URL"],
        "query": "anything at all",
        "searchStep": "one look around",
        "stepNumber": 1,
        "nextStepNeeded": True,
    }
    if tool["name"] != "sequential_search":
        known.update(SESSION)
    if tool["name"] == "check_references":
        # One bibliography is enough.
        del known["file_path"]
        known["text"] = "Doe, J. (2001). Anything at all. Journal, 3, 1-9."
    schema = tool["inputSchema"]
    assert schema["type"] == "object", tool
    return {name: known[name] for name in schema["properties"] if name in known or name in schema["required"]}


def check(tool, result):
    """The call succeeded, and its text, for a model, says what was asked for."""
    text = result["content"][0]["text"]
    if tool["name"] == "sequential_search":
        SESSION["sessionId"] = re.search("[0-9a-f-]{36}", text)[0]
    assert not result.get("isError") and "structuredContent" not in result, (tool["name"], result)
    assert expected(tool) in text and not text.startswith("{"), (tool["name"], text)


def check_structured(tool, result):
    """The call succeeded, and its object, for a program, says the same as its text."""
    answer = result["structuredContent"]
    assert not result.get("isError"), (tool["name"], answer)
    assert json.loads(result["content"][0]["text"]) == answer, result
    assert expected(tool) in json.dumps(answer), (tool["name"], answer)


def expected(tool):
    if tool["name"].startswith("web_search") or tool["name"] == "search_and_scrape":
        return "https://example.com/"
    words = {"file_write": "Wrote", "file_edit": "Replaced", "glob": "file", "web_fetch": "Hello", "scrape_page": "Hello"}
    words |= {"check_references": "Anything at all", "academic_search": "Frost costs heat.", "patent_search": "Sensor of frost"}
    return words.get(tool["name"], "one")


def check_list(tools):
    names = [tool["name"] for tool in tools]
    assert len(names) == len(set(names)) >= 6, names
    for tool in tools:
        assert tool["title"] and tool["description"] and tool["annotations"], tool
    return names
