// Converts the HTML of every example with turndown: `node peers.mjs EXAMPLES OUT`.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(process.cwd() + "/");
const Turndown = require("turndown");
const { gfm } = require("turndown-plugin-gfm");
const [, , examples, out] = process.argv;
const turndown = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced" });
turndown.use(gfm);
const converted = JSON.parse(readFileSync(examples)).map(({ html }) => {
  try {
    return turndown.turndown(html);
  } catch {
    return "";
  }
});
writeFileSync(out, JSON.stringify(converted));
