// Content pipeline: one after the other, and a person approves.
import { END, interrupt, START, StateGraph } from "@langchain/langgraph";
import { z } from "zod";
import { ask, checkpointer, editor, researcher, writer } from "./common.js";

const State = z.object({ message: z.string(), findings: z.string().optional(), draft: z.string().optional(), answer: z.string().optional() });

export default new StateGraph(State)
  .addNode("research", async ({ message }) => ({ findings: await ask(researcher, "Collect the facts for the text.", { message }) }))
  .addNode("write", async ({ message, findings }) => ({ draft: await ask(writer, "Write the text from the findings.", { message, findings }) }))
  .addNode("edit", async ({ findings, draft }) => ({ draft: await ask(editor, "Edit the draft.", { findings, draft }) }))
  .addNode("approve", ({ draft }) => ({ answer: interrupt({ question: "Is the text ready?", draft }) === "yes" ? draft : undefined }))
  .addEdge(START, "research")
  .addEdge("research", "write")
  .addEdge("write", "edit")
  .addEdge("edit", "approve")
  .addEdge("approve", END)
  .compile({ checkpointer });
