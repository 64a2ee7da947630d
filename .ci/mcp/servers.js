// Each tool of the servers is listed, approved, edited, and refused.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync, existsSync } from "node:fs";
import { createServer } from "node:net";
import { after, before, test } from "node:test";
import * as endpoint from "./endpoint.js";
import * as fusebox from "./fusebox.js";

const here = process.cwd();
const shared = `${here}/shared`;
const image = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Arguments for every tool, in an order in which they make sense, and what must be in the result. */
const files = {
  write_file: [{ path: `${shared}/new.txt`, content: "one\n" }, "Successfully wrote"],
  read_file: [{ path: `${shared}/a.txt` }, "hello"],
  read_text_file: [{ path: `${shared}/a.txt`, head: 1 }, "hello"],
  read_media_file: [{ path: `${shared}/dot.png` }, "[image/png, "],
  read_multiple_files: [{ paths: [`${shared}/a.txt`, `${shared}/b.txt`] }, "world"],
  edit_file: [{ path: `${shared}/b.txt`, edits: [{ oldText: "world", newText: "moon" }] }, "moon"],
  create_directory: [{ path: `${shared}/sub` }, "Successfully created"],
  list_directory: [{ path: shared }, "a.txt"],
  list_directory_with_sizes: [{ path: shared }, "a.txt"],
  directory_tree: [{ path: shared }, "a.txt"],
  move_file: [{ source: `${shared}/c.txt`, destination: `${shared}/d.txt` }, "Successfully moved"],
  search_files: [{ path: shared, pattern: "**/*.txt" }, "a.txt"],
  get_file_info: [{ path: `${shared}/a.txt` }, "size"],
  list_allowed_directories: [{}, shared],
};
const memory = {
  create_entities: [{ entities: [{ name: "Ana", entityType: "person", observations: ["likes tea"] }, { name: "Bob", entityType: "person", observations: [] }] }, "Ana"],
  create_relations: [{ relations: [{ from: "Ana", to: "Bob", relationType: "knows" }] }, "knows"],
  add_observations: [{ observations: [{ entityName: "Ana", contents: ["sails"] }] }, "sails"],
  delete_observations: [{ deletions: [{ entityName: "Ana", observations: ["likes tea"] }] }, "success"],
  read_graph: [{}, "sails"],
  search_nodes: [{ query: "sails" }, "Ana"],
  open_nodes: [{ names: ["Bob"] }, "Bob"],
  delete_relations: [{ relations: [{ from: "Ana", to: "Bob", relationType: "knows" }] }, "success"],
  delete_entities: [{ entityNames: ["Bob"] }, "success"],
  read_resource: [{}, ""],
};
const everything = {
  echo: [{ message: "grüße" }, "grüße"],
  "get-annotated-message": [{ messageType: "success", includeImage: true }, "[image/png, "],
  "get-env": [{}, "EVERYTHING_KEY"],
  "get-resource-links": [{ count: 2 }, "[resource "],
  "get-resource-reference": [{ resourceType: "Text", resourceId: 1 }, "Resource 1"],
  "get-structured-content": [{ location: "New York" }, "temperature"],
  "get-sum": [{ a: 2, b: 40 }, "42"],
  "get-tiny-image": [{}, "[image/png, "],
  "gzip-file-as-resource": [{ name: "a.gz", data: "data:text/plain;base64,aGVsbG8=", outputType: "resource" }, "application/gzip"],
  "toggle-simulated-logging": [{}, "logging"],
  "toggle-subscriber-updates": [{}, "updates"],
  "trigger-elicitation-request": [{}, "Name: Ana"],
  "trigger-long-running-operation": [{ duration: 0.2, steps: 2 }, "completed"],
  "simulate-research-query": [{ topic: "tea" }, "requires task augmentation"], // which is not for agents
  read_resource: [{}, "demo://"],
};
const tools = { files, memory, everything, http: everything, sse: everything };

let model, program;
const started = [];

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts server-everything on loopback; it knows no option for that. */
async function listen(mode) {
  const PORT = String(await freePort());
  started.push(spawn(`${here}/node_modules/.bin/mcp-server-everything`, [mode], {
    env: { PATH: process.env.PATH, PORT, EVERYTHING_KEY: "x", NODE_OPTIONS: `--require ${here}/loopback.cjs` }, stdio: "ignore",
  }));
  return PORT;
}

before(async () => {
  mkdirSync(shared), mkdirSync(`${here}/data`), mkdirSync(`${here}/graph`);
  for (const [name, text] of Object.entries({ a: "hello\n", b: "world\n", c: "moves\n" })) writeFileSync(`${shared}/${name}.txt`, text);
  writeFileSync(`${shared}/dot.png`, Buffer.from(image, "base64"));
  const [http, sse] = [await listen("streamableHttp"), await listen("sse")];
  const local = (name, ...args) => `[[mcp.servers]]\nname = "${name}"\ncommand = ${JSON.stringify([`${here}/node_modules/.bin/mcp-server-${args[0]}`, ...args.slice(1)])}\n`;
  writeFileSync(`${here}/fusebox.toml`, [
    local("files", "filesystem", shared),
    local("memory", "memory") + 'env = { MEMORY_FILE_PATH = "$MEMORY_FILE_PATH" }\n',
    local("everything", "everything") + 'env = { EVERYTHING_KEY = "$EVERYTHING_KEY" }\n',
    `[[mcp.servers]]\nname = "http"\nurl = "http://127.0.0.1:${http}/mcp"\n`,
    `[[mcp.servers]]\nname = "sse"\nurl = "http://127.0.0.1:${sse}/sse"\n`,
  ].join("\n"));
  model = await endpoint.start();
  program = await fusebox.start({
    FUSEBOX_DATA: `${here}/data`, FUSEBOX_CONFIG: `${here}/fusebox.toml`, OPENAI_BASE_URL: model.url, FUSEBOX_MODEL: "scripted",
    MEMORY_FILE_PATH: `${here}/graph/memory.jsonl`, EVERYTHING_KEY: "a-key-of-everything", FUSEBOX_GUARD_MAX_CONSECUTIVE_ERRORS: "20",
  });
  await fusebox.until("the servers", async () => {
    const { items } = await program.ana("GET", "/mcp/servers");
    return items.every((s) => s.state === "ready");
  }).catch(async (error) => {
    console.error(await program.ana("GET", "/mcp/servers"), program.log());
    throw error;
  });
});

after(() => {
  program?.stop(), model?.stop();
  started.forEach((p) => p.kill());
});

/** Lets the model make calls, and decides about each of them. */
async function decided(calls, decide) {
  const { id } = await program.ana("POST", "/conversations", {});
  const { runId } = await program.ana("POST", `/conversations/${id}/messages`, { content: JSON.stringify(calls) });
  const pending = async () => (await program.ana("GET", "/approvals?status=pending&limit=200")).items.filter((a) => a.runId === runId);
  const cards = await fusebox.until("the cards", async () => ((await pending()).length === calls.length ? pending() : null));
  for (const card of cards) await decide(card);
  await fusebox.until("the run's end", async () => {
    const run = await program.ana("GET", `/runs/${runId}`);
    for (const card of await pending()) await decide(card);
    return run.status === "finished";
  });
  const { items } = await program.ana("GET", `/conversations/${id}/messages`);
  return items.filter((m) => m.role === "tool").map((m) => m.content);
}

/** Decides about a card; what a server asks is answered by the owner of the chat. */
const decision = (who, card, body) => card.kind === "question" ? answer(card, { name: "Ana", titledMultipleSelectEnum: ["fish-2"] }) : decide(who, card, body);
const answer = (card, values) => decide(program.ana, card, { decision: "answer", answer: JSON.stringify(values) });
const decide = (who, card, body) => who("POST", `/approvals/${card.id}/decision`, { generation: card.generation, argsHash: card.argsHash, ...body });

test("everything: its question is a card, and its instructions go along with its tools", async () => {
  let asked;
  const [result] = await decided([{ name: "everything__trigger-elicitation-request", arguments: {} }], async (card) => {
    if (card.kind !== "question") return decide(program.bob, card, { decision: "approve" });
    asked = card;
    const bad = await answer(card, { name: "Ana", integer: 1000 });
    assert.equal(bad.status, 422);
    await decide(program.ana, card, { decision: "reject" });
  });
  assert.equal(asked.evidence.server, "everything");
  assert.equal(Object.keys(asked.evidence.schema.properties).length, 13);
  assert.match(result, /User declined/);
  const { items } = await program.ana("GET", "/mcp/servers");
  assert.match(items.find((s) => s.name === "everything").tools.find((t) => t.instructions).description, /Server Instructions/);
});

test("everything: its prompts become text", async () => {
  const { items } = await program.ana("GET", "/mcp/prompts");
  assert.ok(items.find((p) => p.server === "everything" && p.name === "args-prompt").arguments[0].required);
  const written = await program.ana("POST", "/mcp/prompts/get", { server: "everything", name: "args-prompt", arguments: { city: "Bern" } });
  assert.equal(written.text, "What's weather in Bern?");
  const refused = await program.ana("POST", "/mcp/prompts/get", { server: "everything", name: "args-prompt" });
  assert.equal(refused.status, 422);
});

for (const [server, calls] of Object.entries(tools)) {
  const names = Object.keys(calls);
  const all = names.map((name) => ({ name: `${server}__${name}`, arguments: calls[name][0] }));

  test(`${server}: every tool is listed, and asks`, async () => {
    const { items } = await program.ana("GET", "/tools?limit=200");
    const listed = items.filter((t) => t.source === `mcp:${server}`);
    assert.deepEqual(listed.map((t) => t.name).sort(), all.map((c) => c.name).sort());
    for (const t of listed) assert.equal(t.effect, "unknown");
  });

  test(`${server}: refused, nothing runs`, async () => {
    const results = await decided(all, (card) => decision(program.bob, card, { decision: "reject" }));
    for (const text of results) assert.match(text, /^Error \(rejected\)/);
    assert.equal(results.length, all.length);
    if (server === "files") assert.ok(!existsSync(`${shared}/new.txt`));
    if (server === "memory") assert.ok(!existsSync(`${here}/graph/memory.jsonl`));
  });

  test(`${server}: approved, it runs`, async () => {
    const results = await decided(all, (card) => decision(program.bob, card, { decision: "approve" }));
    results.forEach((text, i) => assert.ok(text.includes(calls[names[i]][1]) && !text.startsWith("Error (") === (names[i] !== "simulate-research-query"), `${names[i]}: ${text}`));
    assert.ok(!results.join().includes("a-key-of-everything"), "a key is in a result");
  });

  test(`${server}: edited, the edit runs`, async () => {
    const edited = new Set();
    const results = await decided([all[0]], async (card) => {
      if (edited.has(card.id)) return decision(program.ana, card, { decision: "approve" });
      const bad = await decision(program.bob, card, { decision: "edit", args: Object.fromEntries(Object.keys(card.args).map((k) => [k, { no: "such value" }])) });
      assert.equal(bad.status, 422);
      edited.add(card.id);
      const args = JSON.parse(JSON.stringify(card.args).replace("one", "edited").replace("grüße", "edited").replaceAll("Ana", "edited"));
      await decision(program.bob, card, { decision: "edit", args });
    });
    const now = server === "files" ? readFileSync(`${shared}/new.txt`, "utf8") : results[0];
    assert.match(now, /edited/);
  });
}
