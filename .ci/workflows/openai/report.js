// Data report: an analyst computes, a writer explains, and a person corrects.
import { analyst, ask, keep, writer } from "./common.js";

export async function begin(id, message) {
  const numbers = await ask(analyst, "Answer the question from the data.", { message });
  return keep(id, await ask(writer, "Write a report from the numbers.", { message, numbers }));
}

export const decide = (id, corrected) => corrected;
