// The program with a mock endpoint: text and tools, and the same while the
// endpoint refuses, hangs up, or answers nonsense.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

// What goes wrong is the same each time.
let seed = 7;
Math.random = () => {
  seed = (seed * 48271) % 2147483647;
  return seed / 2147483647;
};
const { LLMock } = await import("@copilotkit/aimock");

const mock = new LLMock({ port: 0 });
mock.onToolResult("call_sum", { content: "The sum is 42." });
mock.onMessage("sum", { toolCalls: [{ name: "calculator", arguments: '{"expression":"6*7"}', id: "call_sum" }] });
mock.onMessage("hello", { content: "Hello from the mock. How can I help?" });
await mock.start();

const data = mkdtempSync(join(tmpdir(), "fusebox-"));
const env = {
  ...process.env, FUSEBOX_DATA: data, FUSEBOX_ADDR: "127.0.0.1:0", FUSEBOX_ADMIN_EMAIL: "admin@example.org", FUSEBOX_ADMIN_PASSWORD: "a password for CI",
  OPENAI_BASE_URL: `${mock.url}/v1`, OPENAI_API_KEY: "none", FUSEBOX_MODEL: "gpt-4o", FUSEBOX_RETRY_BASE: "10ms",
};
const server = spawn(process.env.FUSEBOX, { env, stdio: ["ignore", "ignore", "pipe"] });
after(async () => {
  server.kill();
  await mock.stop();
  rmSync(data, { recursive: true, force: true });
});
const url = await new Promise((resolve) => {
  createInterface({ input: server.stderr }).on("line", (line) => {
    const found = / url=(http\S+)/.exec(line);
    if (found) resolve(found[1]);
  });
});
const token = execFileSync(process.env.FUSEBOX, ["token", "new", "--user", env.FUSEBOX_ADMIN_EMAIL], { env }).toString().trim();

async function api(path, body) {
  const res = await fetch(`${url}/api/v1${path}`, {
    method: body ? "POST" : "GET", body: body && JSON.stringify(body), headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
  });
  assert.ok(res.ok, `${path}: ${res.status}`);
  return res.json();
}

/** A run of one message: how it ended, and what was said. */
async function say(content) {
  const { id } = await api("/conversations", {});
  const { runId } = await api(`/conversations/${id}/messages`, { content });
  for (;;) {
    const run = await api(`/runs/${runId}`);
    if (run.status !== "queued" && run.status !== "running") {
      const { items } = await api(`/conversations/${id}/messages`);
      return { ...run, results: items.filter((m) => m.role === "tool").map((m) => m.content), answer: items.at(-1).content };
    }
    await sleep(50);
  }
}

for (const [name, chaos, action] of [
  ["a calm endpoint", {}],
  ["30 % refusals", { rateLimitRate: 0.3 }, "rateLimit"],
  ["20 % disconnects", { disconnectRate: 0.2 }, "disconnect"],
  ["20 % bad JSON", { malformedRate: 0.2 }, "malformed"],
]) {
  test(name, async () => {
    mock.setChaos(chaos);
    const runs = await Promise.all(Array.from({ length: 8 }, (_, i) => say(i % 2 ? "hello" : "the sum, please")));
    runs.forEach((run, i) => {
      assert.equal(run.stopReason, "goal", JSON.stringify(run));
      assert.equal(run.answer, i % 2 ? "Hello from the mock. How can I help?" : "The sum is 42.");
      assert.equal(run.results.length, i % 2 ? 0 : 1);
    });
    if (action) assert.ok(mock.getRequests().some((r) => r.response.chaosAction === action), `no ${action} happened`);
  });
}
