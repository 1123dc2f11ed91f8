"""A model server on a free port of this machine. It speaks the forms in which three makers' agents ask their models,
as streams, and does what script.py says."""

import http.server
import itertools
import json
import re
import threading

import script


class Conversation:
    """What an agent has sent to its model: the user's words, the tools, and each call with its answer."""

    def __init__(self, prompt, tools, calls):
        self.prompt = prompt
        # The names that the agent gives them, by our own.
        self.tools = {own: sent for sent in tools for own in TOOLS if is_ours(sent, own)}
        self.calls = calls

    def told(self):
        return [answer for _, _, answer in self.calls]


TOOLS = [
    "web_search", "scrape_page", "search_and_scrape", "academic_search", "patent_search", "sequential_search",
    "get_research_session", "research_export", "web_fetch",
]  # fmt: skip


def is_ours(sent, own):
    """True of the tool `own` of the server that the agents know as "trail"; an agent may have a web search itself."""
    return "trail" in sent and sent.endswith(own)


def texts(content):
    """The texts of a message, which are one string or parts."""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or [])


def unframed(text):
    """An answer without what Codex and Gemini CLI put around it."""
    return re.sub(r"\A(Wall time: .*\nOutput:|<untrusted_context>)\n|\n</untrusted_context>\Z", "", text)


# ---- Anthropic's Messages ----


def of_messages(request):
    prompt, calls = [], {}
    for message in request["messages"]:
        parts = message["content"]
        if isinstance(parts, str):
            parts = [{"type": "text", "text": parts}]
        for part in parts:
            if part["type"] == "tool_use":
                calls[part["id"]] = [part["name"], part["input"], None]
            elif part["type"] == "tool_result":
                calls[part["tool_use_id"]][2] = texts(part["content"])
            elif part["type"] == "text" and message["role"] == "user":
                prompt.append(part["text"])
    names = [tool["name"] for tool in request.get("tools", [])]
    return Conversation("\n".join(prompt), names, list(calls.values()))


def as_messages(number, call, words):
    """The events of an answer."""
    if call:
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": call[0], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call[1])}
    else:
        block = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": words}
    usage = {"input_tokens": 9, "output_tokens": 9}
    message = {
        "id": f"msg_{number}", "type": "message", "role": "assistant", "model": "scripted", "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    stop = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": usage},
        {"type": "message_stop"},
    ]


# ---- OpenAI's Responses ----


def of_responses(request):
    prompt, calls = [], {}
    for item in request["input"]:
        if item["type"] == "function_call":
            name = item.get("namespace", "") + item["name"]
            calls[item["call_id"]] = [name, json.loads(item["arguments"]), None]
        elif item["type"] == "function_call_output":
            calls[item["call_id"]][2] = unframed(texts(item["output"]))
        elif item["type"] == "message" and item["role"] == "user":
            prompt.append(texts(item["content"]))
    names = []
    for tool in request.get("tools", []):
        # A server's tools come as a space of names.
        names += [tool["name"] + "\0" + inner["name"] for inner in tool.get("tools", [])]
        names += [tool["name"]] if tool["type"] == "function" else []
    return Conversation("\n".join(prompt), names, list(calls.values()))


def as_responses(number, call, words):
    if call:
        space, _, name = call[0].rpartition("\0")
        item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": name}
        item |= {"arguments": json.dumps(call[1])} | ({"namespace": space} if space else {})
    else:
        item = {"type": "message", "id": f"msg_{number}", "role": "assistant"}
        item["content"] = [{"type": "output_text", "text": words, "annotations": []}]
    usage = {"input_tokens": 9, "output_tokens": 9, "total_tokens": 18}
    response = {"id": f"resp_{number}", "object": "response", "status": "completed", "output": [item], "usage": usage}
    return [
        {"type": "response.created", "response": response | {"status": "in_progress", "output": [], "usage": None}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    ]


# ---- Google's generateContent ----


def of_contents(request):
    prompt, calls = [], []
    for content in request["contents"]:
        for part in content["parts"]:
            if "functionCall" in part:
                calls.append([part["functionCall"]["name"], part["functionCall"].get("args", {}), None])
            elif "functionResponse" in part:
                answer = part["functionResponse"]["response"]
                answer = answer.get("output", answer)
                unanswered = next(call for call in calls if call[2] is None)
                unanswered[2] = unframed(answer) if isinstance(answer, str) else json.dumps(answer)
            elif content["role"] == "user":
                prompt.append(part.get("text", ""))
    declared = [one for tool in request.get("tools", []) for one in tool.get("functionDeclarations", [])]
    return Conversation("\n".join(prompt), [one["name"] for one in declared], calls)


def as_contents(number, call, words):
    part = {"functionCall": {"name": call[0], "args": call[1]}} if call else {"text": words}
    candidate = {"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": [part]}}
    usage = {"promptTokenCount": 9, "candidatesTokenCount": 9, "totalTokenCount": 18}
    return [{"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted", "responseId": str(number)}]


# The ends of addresses, and how what is sent there is read and answered.
FORMS = {
    "/messages": (of_messages, as_messages),
    "/responses": (of_responses, as_responses),
    ":streamGenerateContent": (of_contents, as_contents),
}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        path = self.path.split("?")[0]
        self.server.asked.append((path, request))
        form = next((form for end, form in FORMS.items() if path.endswith(end)), None)
        if not form:
            return self.answer(404, "application/json", b"{}")
        try:
            events = list(self.events(*form, request))
        except Exception as fault:
            # An agent tries again after most other statuses.
            self.server.fault = fault
            return self.answer(400, "application/json", json.dumps({"error": {"message": str(fault)}}).encode())
        self.answer(200, "text/event-stream", "".join(events).encode())

    def events(self, read, write, request):
        """The answer, a line or two for each event."""
        conversation = read(request)
        call = None
        # Beside the research, agents ask their models for titles and the like.
        if conversation.tools:
            self.server.conversation = conversation
            call = script.next_call(conversation.prompt, conversation.told())
            call = call and (conversation.tools[call[0]], call[1])
        for event in write(next(self.server.numbers), call, "Done."):
            if "type" in event:
                yield f"event: {event['type']}\n"
            yield f"data: {json.dumps(event)}\n\n"

    def do_GET(self):
        self.answer(200, "application/json", b"{}")

    do_HEAD = do_GET

    def answer(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_):
        pass


class Model(http.server.ThreadingHTTPServer):
    """A model that an agent can ask as long as the context lasts."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server_address[1]}"
        self.asked, self.conversation, self.fault = [], None, None
        self.numbers = itertools.count(1)

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()
