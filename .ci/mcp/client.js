// Fusebox as an MCP server, for the official client.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import * as endpoint from "./endpoint.js";
import * as fusebox from "./fusebox.js";

const data = `${process.cwd()}/client-data`;
let model, program, client;
const opened = [];

/** Connects with a token. */
async function connect(token) {
  const one = new Client({ name: "ci", version: "1.0.0" });
  opened.push(one);
  await one.connect(new StreamableHTTPClientTransport(new URL(program.url + "/mcp"), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }));
  return one;
}

before(async () => {
  mkdirSync(data);
  model = await endpoint.start();
  program = await fusebox.start({ FUSEBOX_DATA: data, OPENAI_BASE_URL: model.url, FUSEBOX_MODEL: "scripted" });
  client = await connect(program.anasToken);
  await client.listTools(); // from here on it checks results by their schemas
});

after(async () => {
  await Promise.all(opened.map((c) => c.close()));
  program?.stop(), model?.stop();
});

/** Asks, and collects what is told meanwhile. */
function ask(calls, { conversationId, signal } = {}) {
  const told = [];
  const args = { message: calls && JSON.stringify(calls), ...(conversationId && { conversationId }) };
  const answer = client.callTool({ name: "ask", arguments: args }, undefined, { onprogress: (p) => told.push(p.message), signal });
  return { told, answer };
}

const shell = (command) => [{ name: "run_shell", arguments: { command } }];

test("the tools are listed", async () => {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((t) => t.name).sort(), ["approvals", "ask", "runs"]);
  const { inputSchema, outputSchema } = tools.find((t) => t.name === "ask");
  assert.deepEqual(inputSchema.required, ["message"]);
  assert.deepEqual(Object.keys(inputSchema.properties).sort(), ["conversationId", "inputs", "message", "workflow"]);
  assert.ok(outputSchema.properties.approvals);
});

test("an answer comes with progress, and its run is listed", async () => {
  const { told, answer } = ask([{ name: "calculator", arguments: { expression: "6*7" } }]);
  const { content, structuredContent: run, isError } = await answer;
  assert.ok(!isError);
  assert.deepEqual(content, [{ type: "text", text: "done" }]);
  assert.equal(run.status, "finished");
  assert.deepEqual(told, ["Step 1", "Runs calculator", "Step 2"]);
  const { structuredContent } = await client.callTool({ name: "runs", arguments: {} });
  assert.equal(structuredContent.runs.find((r) => r.runId === run.runId).status, "finished");
});

test("a run that waits says where a person decides, and goes on", async () => {
  const { told, answer } = ask(shell("echo hello"));
  const { structuredContent: run } = await answer;
  assert.equal(run.status, "paused");
  assert.equal(run.approvals[0].url, `${program.url}/approvals/${run.approvals[0].id}`);
  assert.ok(told.includes(`Waits for an approval: ${run.approvals[0].url}`), told.join());
  const { structuredContent: waiting } = await client.callTool({ name: "approvals", arguments: {} });
  const card = waiting.approvals.find((a) => a.runId === run.runId);
  assert.equal(card.toolName, "run_shell");
  const full = await program.bob("GET", `/approvals/${card.id}`);
  const decided = await program.bob("POST", `/approvals/${card.id}/decision`, { decision: "approve", generation: full.generation, argsHash: full.argsHash });
  assert.equal(decided.status, "decided");
  const { structuredContent: end } = await ask("", { conversationId: run.conversationId }).answer;
  assert.deepEqual([end.runId, end.status, end.answer], [run.runId, "finished", "done"]);
});

test("a cancelled call aborts its run", async () => {
  const cancel = new AbortController();
  const { told, answer } = ask(shell("echo never"), { signal: cancel.signal });
  const link = await fusebox.until("the card", () => told.find((t) => t.includes("/approvals/")));
  cancel.abort();
  await assert.rejects(answer);
  const { runId } = await program.ana("GET", `/approvals/${link.split("/").pop()}`);
  await fusebox.until("the abort", async () => (await program.ana("GET", `/runs/${runId}`)).stopReason === "user_abort");
});

test("errors name the field", async () => {
  const { content, isError } = await ask([], { conversationId: "nobodys" }).answer;
  assert.ok(isError);
  assert.match(content[0].text, /^conversationId: names no conversation of yours/);
});

test("a wrong token is refused", async () => {
  await assert.rejects(connect("nonsense"), (error) => error.code === 401 || /401|Unauthorized|API token/i.test(String(error)));
});
