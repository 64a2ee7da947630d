// Triage: one agent leads, and hands parts to two others, which are its tools.
import { END, START, StateGraph } from "@langchain/langgraph";
import { tool } from "langchain";
import { z } from "zod";
import { agent, ask, checkpointer, researcher, reviewing } from "./common.js";

const asks = (name, one, description) => tool(({ task }) => ask(one, task), { name, description, schema: z.object({ task: z.string() }) });
const dispatcher = agent("You are the dispatcher. Find out what the customer wants, and hand parts to the others.", [
  asks("ask_researcher", researcher, "Looks up what the documents say."),
  asks("ask_reviewer", agent(reviewing), "Checks a reply."),
]);
const State = z.object({ message: z.string(), answer: z.string().optional() });

export default new StateGraph(State)
  .addNode("lead", async ({ message }) => ({ answer: await ask(dispatcher, "Answer the customer's request.", { message }) }))
  .addEdge(START, "lead")
  .addEdge("lead", END)
  .compile({ checkpointer });
