// SPDX-License-Identifier: BSD-3-Clause
// The clients of the protocol's own packages ask `wperf mcp`: node ask.mjs WPERF ROOT RECORDING. Prints one JSON line for each way
// in which a client can begin.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [wperf, root, recording] = process.argv.slice(2);
const from = createRequire(process.cwd() + "/");
const load = async (name) => import(pathToFileURL(from.resolve(name)).href);

async function ask(Client, Transport, name, options) {
  const client = new Client({ name: "wperf's tests", version: "1" }, options);
  await client.connect(new Transport({ command: wperf, args: ["mcp", "--root", root] }));
  const tools = (await client.listTools()).tools.map((tool) => tool.name);
  const answer = await client.callTool({ name: "summary", arguments: { recording } });
  const outside = await client.callTool({ name: "summary", arguments: { recording: "../outside" } });
  console.log(JSON.stringify({ name, server: client.getServerVersion().name, tools, answer, outside }));
  await client.close();
}

const older = await load("@modelcontextprotocol/sdk/client/index.js");
const olderPipe = await load("@modelcontextprotocol/sdk/client/stdio.js");
await ask(older.Client, olderPipe.StdioClientTransport, "sdk", {});
const newer = await load("@modelcontextprotocol/client");
const newerPipe = await load("@modelcontextprotocol/client/stdio");
for (const mode of ["legacy", "auto", { pin: "2026-07-28" }]) {
  await ask(newer.Client, newerPipe.StdioClientTransport, JSON.stringify(mode), { versionNegotiation: { mode } });
}
