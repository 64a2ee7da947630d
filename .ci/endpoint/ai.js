// The AI SDK against the demo model.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, Output, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";

const demo = createOpenAICompatible({ name: "demo", baseURL: process.env.DEMO_URL, includeUsage: true, supportsStructuredOutputs: true });

test("a stream of text", async () => {
  const { textStream, usage } = streamText({ model: demo("demo"), prompt: "who are you?" });
  let text = "";
  let pieces = 0;
  for await (const piece of textStream) {
    text += piece;
    pieces += 1;
  }
  assert.match(text, /demo model/);
  assert.ok(pieces > 5);
  assert.ok((await usage).totalTokens > 0);
});

for (const model of ["demo", "demo:deepseek", "demo:kimi", "demo:qwen", "demo:ollama"]) {
  test(`${model}: tools over several steps`, async () => {
    const asked = [];
    const weather = tool({
      inputSchema: z.object({ city: z.string() }),
      execute: ({ city }) => {
        asked.push(city);
        return `Sunny, ${city === "Rome" ? 25 : 15} °C`;
      },
    });
    const calculator = tool({ inputSchema: z.object({ expression: z.string() }), execute: ({ expression }) => ({ expression, value: 10 }) });
    const { text, steps } = await generateText({
      model: demo(model), tools: { weather, calculator }, stopWhen: stepCountIs(5), prompt: "How much warmer is Rome than Berlin?",
    });
    assert.deepEqual(asked.sort(), ["Berlin", "Rome"]);
    assert.equal(steps.length, 3);
    assert.match(text, /^Rome is 10 °C warmer than Berlin/);
  });
}

test("a required tool", async () => {
  const note = tool({ inputSchema: z.object({ text: z.string().min(3), tags: z.array(z.string()).min(2) }) });
  const { toolCalls } = await generateText({ model: demo("demo"), tools: { note }, toolChoice: "required", prompt: "Remember the milk" });
  assert.equal(toolCalls[0].input.text, "Remember the milk");
});

test("structured output", async () => {
  const schema = z.object({ name: z.string(), size: z.number().min(10).max(20), mail: z.email(), kind: z.union([z.literal("cat"), z.literal("dog")]) });
  const { output } = await generateText({ model: demo("demo"), output: Output.object({ schema }), prompt: "Make up a dog" });
  assert.ok(output.size >= 10 && output.size <= 20);
});
