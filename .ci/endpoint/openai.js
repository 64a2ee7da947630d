// OpenAI's own client against the demo model.
import assert from "node:assert/strict";
import { test } from "node:test";
import OpenAI, { NotFoundError } from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";

const client = new OpenAI({ baseURL: process.env.DEMO_URL, apiKey: "none", maxRetries: 0 });
const ask = (content, more) => client.chat.completions.create({ model: "demo", messages: [{ role: "user", content }], ...more });
const tool = (name, properties) => ({
  type: "function",
  function: { name, parameters: { type: "object", properties, required: Object.keys(properties) } },
});
const weather = tool("get_current_weather", { location: { type: "string" }, unit: { type: "string", enum: ["celsius", "fahrenheit"] } });
const search = tool("search", { query: { type: "string" }, limit: { type: "integer", minimum: 1, maximum: 5 } });

test("models are listed, and found by their name", async () => {
  const { data } = await client.models.list();
  assert.ok(data.some((m) => m.id === "demo"));
  assert.equal((await client.models.retrieve("demo:kimi")).id, "demo:kimi");
  await assert.rejects(client.models.retrieve("gpt-x"), NotFoundError);
  await assert.rejects(ask("hi", { model: "gpt-x" }), NotFoundError);
});

test("a tool of another name is called and its result understood", async () => {
  const run = client.chat.completions.runTools({
    model: "demo",
    messages: [{ role: "user", content: "What is the weather in Paris?" }],
    tools: [{ type: "function", function: { ...weather.function, parse: JSON.parse, function: ({ location }) => ({ location, temp_f: 50, description: "Light rain" }) } }],
  });
  assert.equal(await run.finalContent(), "It is 10 °C with light rain in Paris.");
});

test("a stream has all parts of a call", async () => {
  const stream = client.chat.completions.stream({
    model: "demo", messages: [{ role: "user", content: "weather in London" }], tools: [weather], stream_options: { include_usage: true },
  });
  const { choices, usage } = await stream.finalChatCompletion();
  assert.deepEqual(JSON.parse(choices[0].message.tool_calls[0].function.arguments), { location: "London", unit: "celsius" });
  assert.ok(usage.total_tokens > 0);
});

test("tool_choice is obeyed", async () => {
  const tools = [weather, search];
  const named = await ask("Tell me about 3 cats", { tools, tool_choice: { type: "function", function: { name: "search" } } });
  assert.deepEqual(JSON.parse(named.choices[0].message.tool_calls[0].function.arguments), { query: "Tell me about 3 cats", limit: 3 });
  const required = await ask("hello", { tools, tool_choice: "required" });
  assert.equal(required.choices[0].message.tool_calls.length, 1);
  const none = await ask("weather in Paris", { tools, tool_choice: "none" });
  assert.equal(none.choices[0].message.tool_calls, undefined);
  const one = await ask("weather in Paris and London", { tools, parallel_tool_calls: false });
  assert.equal(one.choices[0].message.tool_calls.length, 1);
  await assert.rejects(ask("hello", { tools, tool_choice: { type: "function", function: { name: "nothing" } } }), { status: 400 });
});

test("an answer fits its schema", async () => {
  const Plan = z.object({
    title: z.string(), priority: z.enum(["low", "high"]), steps: z.array(z.object({ what: z.string(), minutes: z.number().int() })), due: z.string().nullable(),
  });
  const parsed = await client.chat.completions.parse({
    model: "demo", messages: [{ role: "user", content: "Plan a high priority lunch" }], response_format: zodResponseFormat(Plan, "plan"),
  });
  assert.equal(parsed.choices[0].message.parsed.priority, "high");
  JSON.parse((await ask("hello", { response_format: { type: "json_object" } })).choices[0].message.content);
});

test("n, stop and max_tokens are kept", async () => {
  const three = await ask("who are you?", { n: 3 });
  assert.deepEqual(three.choices.map((c) => c.index), [0, 1, 2]);
  const stopped = await ask("who are you?", { stop: ["Fusebox"] });
  assert.equal(stopped.choices[0].message.content, "I am the demo model that is built into ");
  assert.equal(stopped.choices[0].finish_reason, "stop");
  const short = await ask("who are you?", { max_tokens: 5 });
  assert.equal(short.choices[0].finish_reason, "length");
  assert.equal(short.usage.completion_tokens, 5);
  const indexes = new Set();
  for await (const chunk of await ask("who are you?", { n: 2, stream: true })) chunk.choices.forEach((c) => indexes.add(c.index));
  assert.deepEqual([...indexes], [0, 1]);
});

test("reasoning that comes back is ignored, or wanted", async () => {
  const messages = [{ role: "user", content: "hi" }, { role: "assistant", content: "Hello.", reasoning_content: "A greeting." }, { role: "user", content: "who are you?" }];
  for (const model of ["demo", "demo:deepseek", "demo:kimi", "demo:qwen", "demo:ollama"]) {
    assert.match((await client.chat.completions.create({ model, messages })).choices[0].message.content, /demo model/);
  }
  await assert.rejects(client.chat.completions.create({ model: "demo:gemini", messages }), { status: 400 });
});
