// What the six graphs share: the model, the tool, the agents, and how a graph is begun and gone on with.
import { appendFileSync } from "node:fs";
import { Command } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, providerStrategy, tool } from "langchain";
import { z } from "zod";

export const checkpointer = SqliteSaver.fromConnString(process.env.DATABASE);
const model = new ChatOpenAI({ model: "scripted", apiKey: "none", streamUsage: true, configuration: { baseURL: process.env.OPENAI_BASE_URL } });

export const appendLine = tool(
  ({ line }) => {
    appendFileSync(process.env.EFFECTS, `${line}\n`);
    return "appended";
  },
  { name: "append_line", description: "Appends a line to the file of notes.", schema: z.object({ line: z.string() }) },
);

export const agent = (systemPrompt, tools = [], values) =>
  createAgent({ model, systemPrompt, tools, ...(values && { responseFormat: providerStrategy(z.object(values)) }) });

export const researcher = agent("You are the researcher. Find out what is known, and name the sources.", [appendLine]);
export const writer = agent("You are the writer. Write a text from what you are given.");
export const editor = agent("You are the editor. Improve the text without changing what it says.");
export const analyst = agent("You are the analyst. Compute, and show how you came to each number.", [appendLine]);
export const coder = agent("You are the coder. Change the code, and run it.", [appendLine]);
export const reviewing = "You are the reviewer. Check the work against what was asked for.";

/** Gives an agent a task, and returns its text, or its values where it has some. */
export async function ask(one, task, inputs = {}) {
  const content = [task, ...Object.entries(inputs).map(([name, value]) => `${name}: ${value}`)].join("\n\n");
  const { messages, structuredResponse } = await one.invoke({ messages: [{ role: "user", content }] });
  return structuredResponse ?? messages.at(-1).text;
}

const config = (id) => ({ configurable: { thread_id: id } });
const play = (graph, id, input) => graph.stream(input, { ...config(id), durability: "sync", streamMode: ["tasks", "messages"], subgraphs: true });

export const begin = (graph, id, message) => play(graph, id, { message });
export const goOn = (graph, id) => play(graph, id, null);
export const decide = (graph, id, resume) => play(graph, id, new Command({ resume }));
export const stateOf = (graph, id) => graph.getState(config(id), { subgraphs: true });
