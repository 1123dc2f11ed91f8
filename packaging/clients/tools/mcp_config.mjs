// How a desktop client starts the server of an unpacked bundle, as the reference implementation works it out from the
// manifest and what the user chose. Usage: node mcp_config.mjs BUNDLE DIRECTORY; prints COMMAND, then a line for each
// argument, then NAME=VALUE for each variable, with an empty line between.
import fs from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.cwd()}/`);
const mcpb = await import(pathToFileURL(require.resolve("@anthropic-ai/mcpb")));
const [bundle, directory] = process.argv.slice(2);
const manifest = JSON.parse(fs.readFileSync(`${bundle}/manifest.json`));
const config = await mcpb.getMcpConfigForManifest({
  manifest,
  extensionPath: bundle,
  systemDirs: {},
  userConfig: { directory },
  pathSeparator: "/",
});
const variables = Object.entries(config.env).map(([name, value]) => `${name}=${value}`);
console.log([config.command, ...config.args, "", ...variables].join("\n"));
