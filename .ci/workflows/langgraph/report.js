// Data report: an analyst computes, a writer explains, and a person corrects.
import { END, interrupt, START, StateGraph } from "@langchain/langgraph";
import { z } from "zod";
import { analyst, ask, checkpointer, writer } from "./common.js";

const State = z.object({ message: z.string(), numbers: z.string().optional(), draft: z.string().optional(), answer: z.string().optional() });

export default new StateGraph(State)
  .addNode("analyse", async ({ message }) => ({ numbers: await ask(analyst, "Answer the question from the data.", { message }) }))
  .addNode("report", async ({ message, numbers }) => ({ draft: await ask(writer, "Write a report from the numbers.", { message, numbers }) }))
  .addNode("correct", ({ draft }) => ({ answer: interrupt({ question: "Correct the report.", draft }) }))
  .addEdge(START, "analyse")
  .addEdge("analyse", "report")
  .addEdge("report", "correct")
  .addEdge("correct", END)
  .compile({ checkpointer });
