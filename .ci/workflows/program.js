// A workflow of Fusebox, as its API shows it.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as rest } from "node:timers/promises";

/** Waits until a question has an answer. */
export async function until(what, ask, times = 2400) {
  for (let i = 0; i < times; i++) {
    const found = await ask();
    if (found) return found;
    await rest(25);
  }
  throw new Error(`waited in vain for ${what}`);
}

const ended = ["finished", "stopped", "failed", "aborted"];

/** The program in a folder of its own; `start` begins its process, again after `kill`. */
export function make(folder, names, { url, effects }) {
  mkdirSync(`${folder}/data`, { recursive: true }), mkdirSync(dirname(effects), { recursive: true });
  const values = { NODE: process.execPath, NOTES: `${process.cwd()}/fusebox/notes.js`, HERE: process.cwd(), FOLDER: dirname(effects) };
  const config = ["common", ...names].map((name) => readFileSync(`fusebox/${name}.toml`, "utf8")).join("\n");
  writeFileSync(`${folder}/fusebox.toml`, config.replace(/"\$(NODE|NOTES|HERE|FOLDER)"/g, (_, name) => JSON.stringify(values[name])));
  const env = {
    ...process.env, FUSEBOX_DATA: `${folder}/data`, FUSEBOX_CONFIG: `${folder}/fusebox.toml`, FUSEBOX_ADDR: "127.0.0.1:0", FUSEBOX_ADMIN_EMAIL: "ana@example.org",
    FUSEBOX_ADMIN_PASSWORD: "a password for CI", OPENAI_BASE_URL: url, FUSEBOX_MODEL: "scripted", FUSEBOX_TITLES_MODEL: "off", EFFECTS: effects,
  };
  let child, base, token, log;
  const self = {};

  async function api(method, path, body) {
    const response = await fetch(`${base}/api/v1${path}`, {
      method, headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" }, body: body && JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
    return path.includes("/events") ? text.trim().split("\n").map((line) => JSON.parse(line)) : JSON.parse(text);
  }

  self.start = async () => {
    log = "";
    child = spawn(process.env.FUSEBOX, [], { env, stdio: ["ignore", "ignore", "pipe"] });
    child.stderr.on("data", (piece) => (log += piece));
    base = await until("the start", () => {
      if (child.exitCode !== null) throw new Error(log);
      return log.match(/url=(http\S+)/)?.[1];
    });
    token ??= spawnSync(process.env.FUSEBOX, ["token", "new", "--user", "ana@example.org"], { env }).stdout.toString().trim();
    await until("the tool", async () => (await api("GET", "/mcp/servers")).items.every((s) => s.state === "ready")).catch(async (error) => {
      console.error(await api("GET", "/mcp/servers"), log);
      throw error;
    });
  };
  self.kill = async (signal = "SIGKILL") => {
    child.kill(signal);
    await once(child, "exit");
  };
  self.begin = async (workflow) => {
    const { id } = await api("POST", "/conversations", {});
    const { runId } = await api("POST", `/conversations/${id}/messages`, { content: "Tea, coffee, or cocoa for the office?", workflow });
    return { id, runId };
  };

  const cards = async (id) => (await api("GET", "/approvals?status=pending&limit=200")).items.filter((a) => a.conversationId === id);

  /** Waits for the end, or for a person; that there is a card is all that it tells of it. */
  self.ended = ({ id, runId }) => until("the end", async () => {
    const run = await api("GET", `/runs/${runId}`);
    if (ended.includes(run.status)) return { status: run.status, stopReason: run.stopReason, answer: (await api("GET", `/conversations/${id}/messages`)).items.at(-1).content };
    return (await cards(id)).length > 0 && { waits: true };
  }).catch(async (error) => {
    console.error(log, await api("GET", `/runs/${runId}`), await api("GET", `/conversations/${id}/messages`));
    throw error;
  });

  self.decide = async (chat, answer) => {
    for (const { id } of await cards(chat.id)) {
      const { generation, argsHash, options } = await api("GET", `/approvals/${id}`);
      const choice = options?.find((o) => o.label === answer);
      await api("POST", `/approvals/${id}/decision`, { decision: "answer", generation, argsHash, ...(choice ? { choices: [choice.id] } : { answer }) });
    }
    return self.ended(chat);
  };

  /** What is seen of a chat's tree of runs, from its log of events, its runs, and its cards. */
  self.look = async ({ id, runId }) => {
    const look = { steps: {}, tokens: null, money: null, waits: [], text: "" };
    const root = await api("GET", `/runs/${runId}`);
    const paths = { [runId]: [root.workflow.name] };
    for (const event of await api("GET", `/conversations/${id}/events?follow=false`)) {
      if (event.type === "run-start" && event.parentRunId) paths[event.runId] = [...paths[event.parentRunId], `${event.agent} ${event.toolCallId}`];
      if (event.type === "text-delta" && event.parentRunId) look.text += event.delta;
    }
    for (const [run, path] of Object.entries(paths)) {
      const { status, children } = await api("GET", `/runs/${run}`);
      look.steps[path.join(">")] = status;
      for (const child of children) if (!ended.includes((await api("GET", `/runs/${child}`)).status)) look.waits.push(paths[child]);
    }
    for (const card of await cards(id)) look.waits.push([...paths[card.runId], "person"]);
    if (root.tree) Object.assign(look, { tokens: root.tree.usage.inputTokens + root.tree.usage.outputTokens, money: root.tree.costMicros / 1e6 });
    return look;
  };
  return self;
}
