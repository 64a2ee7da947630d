// Holds a chat with a running Fusebox, typed by its own API description.
import createClient from "openapi-fetch";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import type { components, paths } from "./api.js";

type Event = components["schemas"]["Event"];

const [url = "", token = ""] = [process.env.FUSEBOX_URL, process.env.FUSEBOX_TOKEN];
const api = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${token}` } });

/** The answer to a call, or the reason why it was refused. */
function must<T>(result: { data?: T; error?: components["schemas"]["Problem"] }): T {
  if (result.data === undefined) throw new Error(result.error?.detail ?? "no answer");
  return result.data;
}

async function* eventsOf(id: string): AsyncGenerator<Event> {
  const { data } = await api.GET("/api/v1/conversations/{id}/events", { params: { path: { id } }, parseAs: "stream" });
  if (!data) throw new Error("no event log");
  for await (const line of createInterface({ input: Readable.fromWeb(data) })) {
    if (line) yield JSON.parse(line) as Event; // an empty one is a sign of life
  }
}

const { id } = must(await api.POST("/api/v1/conversations", { body: { title: "A chat over the API" } }));
const content = process.argv[2] ?? "hello";
const { runId } = must(await api.POST("/api/v1/conversations/{id}/messages", { params: { path: { id } }, body: { content } }));

for await (const event of eventsOf(id)) {
  if (event.runId !== runId) continue;
  if (event.type === "text-delta") process.stdout.write(event.delta);
  if (event.type === "approval-requested") {
    const path = { id: event.approvalId };
    const { generation, argsHash } = must(await api.GET("/api/v1/approvals/{id}", { params: { path } }));
    const { decision } = must(await api.POST("/api/v1/approvals/{id}/decision", { params: { path }, body: { decision: "approve", generation, argsHash } }));
    console.log(`\n[${event.message}: ${decision}]`);
  }
  if (event.type === "finish") {
    console.log(`\n[${event.status}: ${event.usage.outputTokens} tokens]`);
    process.exit(event.status === "finished" ? 0 : 1);
  }
}
