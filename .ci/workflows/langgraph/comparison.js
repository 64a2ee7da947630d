// Comparison: three researchers at the same time, and an analyst who weighs what they found.
import { END, START, StateGraph } from "@langchain/langgraph";
import { z } from "zod";
import { analyst, ask, checkpointer, researcher } from "./common.js";

const found = z.string().optional();
const State = z.object({ message: z.string(), fit: found, cost: found, risks: found, answer: found });
const angle = (name, task) => async ({ message }) => ({ [name]: await ask(researcher, `Compare the options. ${task}`, { message }) });

export default new StateGraph(State)
  .addNode("find fit", angle("fit", "Your part is how well each fits."))
  .addNode("find cost", angle("cost", "Your part is what each costs."))
  .addNode("find risks", angle("risks", "Your part is what can go wrong."))
  .addNode("weigh", async ({ message, fit, cost, risks }) => ({ answer: await ask(analyst, "Weigh the options.", { message, fit, cost, risks }) }))
  .addEdge(START, "find fit")
  .addEdge(START, "find cost")
  .addEdge(START, "find risks")
  .addEdge(["find fit", "find cost", "find risks"], "weigh")
  .addEdge("weigh", END)
  .compile({ checkpointer });
