"""How each agent is told of its model and of the server, and asked."""

import json
import pathlib

# Nothing but loopback is to be reached: whatever an agent tries beside it fails at once.
QUIET = {
    "http_proxy": "http://127.0.0.1:9",
    "https_proxy": "http://127.0.0.1:9",
    "HTTP_PROXY": "http://127.0.0.1:9",
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "NO_PROXY": "127.0.0.1",
    "no_proxy": "127.0.0.1",
}


def claude(modules, home, model, server, prompt):
    """Claude Code, which asks by Anthropic's Messages."""
    configuration = {"mcpServers": {"trail": {"type": "stdio", **server}}}
    file = home / "mcp.json"
    file.write_text(json.dumps(configuration))
    program = min(modules.glob("@anthropic-ai/claude-code-linux-*/claude"))
    command = [program, "--print", "--strict-mcp-config", "--mcp-config", file, "--allowedTools", "mcp__trail"]
    return [*command, "--", prompt], {
        "ANTHROPIC_BASE_URL": model.address,
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        # Its model is told of all tools at once.
        "ENABLE_TOOL_SEARCH": "false",
    }


def codex(modules, home, model, server, prompt):
    """Codex, which asks by OpenAI's Responses."""
    variables = "\n".join(f"{name} = {json.dumps(value)}" for name, value in server["env"].items())
    (home / "config.toml").write_text(f"""
model = "scripted"
model_provider = "loopback"
approval_policy = "never"
sandbox_mode = "read-only"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.loopback]
name = "loopback"
base_url = "{model.address}/v1"
wire_api = "responses"
[mcp_servers.trail]
command = {json.dumps(server["command"])}
args = {json.dumps(server["args"])}
default_tools_approval_mode = "approve"
[mcp_servers.trail.env]
{variables}
""")
    program = min(modules.glob("@openai/codex-linux-*/vendor/*/bin/codex"))
    return [program, "exec", "--skip-git-repo-check", prompt], {"CODEX_HOME": str(home)}


def gemini(modules, home, model, server, prompt):
    """Gemini CLI, which asks by Google's generateContent."""
    settings = {
        "mcpServers": {"trail": {**server, "trust": True}},
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False},
    }
    directory = home / ".gemini"
    directory.mkdir(exist_ok=True)
    (directory / "settings.json").write_text(json.dumps(settings))
    program = modules / ".bin/gemini"
    return ["node", program, "--model", "gemini-2.5-flash", "--approval-mode", "yolo", "--prompt", prompt], {
        "GEMINI_API_KEY": "none",
        "GOOGLE_GEMINI_BASE_URL": model.address,
    }


AGENTS = [claude, codex, gemini]


def version(modules, agent):
    """The installed version of an agent, by its package."""
    package = {claude: "@anthropic-ai/claude-code", codex: "@openai/codex", gemini: "@google/gemini-cli"}[agent]
    return json.loads(pathlib.Path(modules, package, "package.json").read_text())["version"]
