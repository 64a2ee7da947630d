// Round of experts: three read and write on a board, in rounds, and a writer sums up.
import { END, START, StateGraph } from "@langchain/langgraph";
import { registry } from "@langchain/langgraph/zod";
import { z } from "zod";
import { agent, appendLine, ask, checkpointer, writer } from "./common.js";

const values = { post: z.string(), done: z.boolean() };
const Post = z.object({ round: z.number(), by: z.string(), ...values });
const State = z.object({
  message: z.string(), answer: z.string().optional(), round: z.number().default(1),
  board: z.array(Post).default([]).register(registry, { reducer: { fn: (all, more) => all.concat(more) } }),
});
const experts = {
  facts: agent("You are the historian. Bring the facts.", [appendLine], values),
  numbers: agent("You are the accountant. Bring the numbers.", [], values),
  doubts: agent("You are the sceptic. Bring the doubts.", [], values),
};
const says = (by) => async ({ message, board, round }) => {
  const post = await ask(experts[by], "Add what is not on the board yet.", { message, board: JSON.stringify(board) });
  return { board: [{ round, by, ...post }] };
};
const ended = ({ board, round }) => round >= 3 || board.filter((p) => p.round === round).every((p) => p.done);

const names = Object.keys(experts);
const graph = new StateGraph(State)
  .addNode("turn", ({ round }) => ({ round: round + 1 }))
  .addNode("read", () => ({}))
  .addNode("sum up", async ({ message, board }) => ({ answer: await ask(writer, "Sum up the board.", { message, board: JSON.stringify(board) }) }));
for (const name of names) graph.addNode(name, says(name)).addEdge(START, name).addEdge("turn", name);
export default graph
  .addEdge(names, "read")
  .addConditionalEdges("read", (state) => (ended(state) ? "sum up" : "turn"), ["sum up", "turn"])
  .addEdge("sum up", END)
  .compile({ checkpointer });
