// LangChain against the demo model.
import assert from "node:assert/strict";
import { test } from "node:test";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";

const model = (more) => new ChatOpenAI({ model: "demo", apiKey: "none", maxRetries: 0, configuration: { baseURL: process.env.DEMO_URL }, ...more });

test("a stream of text", async () => {
  let text = "";
  for await (const chunk of await model().stream("你是谁？")) text += chunk.content;
  assert.match(text, /演示模型/);
});

test("a tool with two numbers", async () => {
  const multiply = tool(({ a, b }) => String(a * b), { name: "multiply", description: "Multiplies.", schema: z.object({ a: z.number(), b: z.number() }) });
  const bound = model().bindTools([multiply]);
  const messages = [new HumanMessage("What is 3 times 12?")];
  const asked = await bound.invoke(messages);
  assert.deepEqual(asked.tool_calls[0].args, { a: 3, b: 12 });
  const result = await multiply.invoke(asked.tool_calls[0]);
  assert.ok(result instanceof ToolMessage);
  assert.match((await bound.invoke([...messages, asked, result])).content, /36/);
});

test("a tool that must be called", async () => {
  const joke = tool(() => "", { name: "joke", description: "Tells.", schema: z.object({ setup: z.string(), rating: z.number().int().min(1).max(10) }) });
  const { tool_calls } = await model().bindTools([joke], { tool_choice: "joke" }).invoke("hello");
  assert.ok(tool_calls[0].args.rating >= 1);
});

test("structured output", async () => {
  const schema = z.object({ city: z.string(), days: z.number().int() });
  for (const method of ["jsonSchema", "functionCalling"]) {
    assert.deepEqual(await model().withStructuredOutput(schema, { name: "trip", method }).invoke("4 days in Tokyo"), { city: "Tokyo", days: 4 });
  }
});
