// Code task: a coder works until a reviewer accepts, at most three times.
import { END, START, StateGraph } from "@langchain/langgraph";
import { z } from "zod";
import { agent, ask, checkpointer, coder, reviewing } from "./common.js";

const reviewer = agent(reviewing, [], { accepted: z.boolean(), remarks: z.string() });
const State = z.object({
  message: z.string(), answer: z.string().default(""), remarks: z.string().default(""), accepted: z.boolean().default(false), round: z.number().default(0),
});

export default new StateGraph(State)
  .addNode("code", async ({ message, answer, remarks, round }) => ({
    answer: await ask(coder, "Do what the message asks for, and mend what the remarks name.", { message, previous: answer, remarks }), round: round + 1,
  }))
  .addNode("review", async ({ message, answer }) => ask(reviewer, "Review the work.", { message, work: answer }))
  .addEdge(START, "code")
  .addEdge("code", "review")
  .addConditionalEdges("review", ({ accepted, round }) => (accepted || round >= 3 ? END : "code"), ["code", END])
  .compile({ checkpointer });
