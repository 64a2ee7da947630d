// Round of experts: three read and write on a board, in rounds, and a writer sums up.
import { z } from "zod";
import { agent, appendLine, ask, writer } from "./common.js";

const outputType = z.object({ post: z.string(), done: z.boolean() });
const experts = {
  facts: agent("facts", "You are the historian. Bring the facts.", { outputType, tools: [appendLine] }),
  numbers: agent("numbers", "You are the accountant. Bring the numbers.", { outputType }),
  doubts: agent("doubts", "You are the sceptic. Bring the doubts.", { outputType }),
};

export async function begin(id, message) {
  const board = [];
  for (let round = 1; round <= 3; round++) {
    const read = { message, board: JSON.stringify(board) };
    const posts = await Promise.all(Object.entries(experts).map(async ([by, one]) => ({ by, ...(await ask(one, "Add what is not on the board yet.", read)) })));
    board.push(...posts);
    if (posts.every((p) => p.done)) break;
  }
  return ask(writer, "Sum up the board.", { message, board: JSON.stringify(board) });
}
