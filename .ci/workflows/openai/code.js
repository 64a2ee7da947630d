// Code task: a coder works until a reviewer accepts, at most three times.
import { z } from "zod";
import { ask, coder, reviewer } from "./common.js";

const judge = reviewer.clone({ outputType: z.object({ accepted: z.boolean(), remarks: z.string() }) });

export async function begin(id, message) {
  let [previous, remarks] = ["", ""];
  for (let round = 1; round <= 3; round++) {
    previous = await ask(coder, "Do what the message asks for, and mend what the remarks name.", { message, previous, remarks });
    const verdict = await ask(judge, "Review the work.", { message, work: previous });
    if (verdict.accepted) break;
    remarks = verdict.remarks;
  }
  return previous;
}
