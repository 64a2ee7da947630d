// What the six workflows share: the model, the tool, the agents, and how one is begun and gone on with.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { Agent, Runner, RunState, setDefaultOpenAIClient, setOpenAIAPI, tool } from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";

setDefaultOpenAIClient(new OpenAI({ baseURL: process.env.OPENAI_BASE_URL, apiKey: "none" }));
setOpenAIAPI("chat_completions");
const model = "scripted";

export const appendLine = tool({
  name: "append_line",
  description: "Appends a line to the file of notes.",
  parameters: z.object({ line: z.string() }),
  execute: ({ line }) => {
    appendFileSync(process.env.EFFECTS, `${line}\n`);
    return "appended";
  },
});

export const agent = (name, instructions, more) => new Agent({ name, instructions, model, ...more });

export const researcher = agent("researcher", "You are the researcher. Find out what is known, and name the sources.", { tools: [appendLine] });
export const writer = agent("writer", "You are the writer. Write a text from what you are given.");
export const editor = agent("editor", "You are the editor. Improve the text without changing what it says.");
export const analyst = agent("analyst", "You are the analyst. Compute, and show how you came to each number.", { tools: [appendLine] });
export const coder = agent("coder", "You are the coder. Change the code, and run it.", { tools: [appendLine] });
export const reviewer = agent("reviewer", "You are the reviewer. Check the work against what was asked for.");

export const runner = new Runner({ tracingDisabled: true });
export const watch = { event: () => {} };

/** Runs an agent, and tells what happens meanwhile. */
export async function runs(one, input) {
  const result = await runner.run(one, input, { stream: true });
  for await (const event of result) watch.event(one, event, result);
  await result.completed;
  return result;
}

/** Gives an agent a task, and returns its text, or its values where it has some. */
export async function ask(one, task, inputs = {}) {
  const input = [task, ...Object.entries(inputs).map(([name, value]) => `${name}: ${value}`)].join("\n\n");
  return (await runs(one, input)).finalOutput;
}

// What waits for a person is kept in a file, so that the process may end meanwhile.
const file = (id) => `${process.env.DATABASE}.${id}.json`;
export const keep = (id, state) => {
  writeFileSync(file(id), JSON.stringify(state));
  return { waits: true };
};
export const kept = (id) => JSON.parse(readFileSync(file(id), "utf8"));
export const stateOf = (one, text) => RunState.fromString(one, text);
