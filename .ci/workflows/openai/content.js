// Content pipeline: one after the other, and a person approves.
import { tool } from "@openai/agents";
import { z } from "zod";
import { ask, editor, keep, kept, researcher, runs, stateOf, writer } from "./common.js";

const publish = tool({ name: "publish", description: "Publishes the text.", parameters: z.object({ text: z.string() }), needsApproval: true, execute: () => "published" });
const publisher = editor.clone({ tools: [publish] });

export async function begin(id, message) {
  const findings = await ask(researcher, "Collect the facts for the text.", { message });
  const draft = await ask(writer, "Write the text from the findings.", { message, findings });
  const { state } = await runs(publisher, `Edit the draft, and publish it.\n\nfindings: ${findings}\n\ndraft: ${draft}`);
  return keep(id, state.toString());
}

export async function decide(id, said) {
  const state = await stateOf(publisher, kept(id));
  for (const asked of state.getInterruptions()) said === "yes" ? state.approve(asked) : state.reject(asked);
  return (await runs(publisher, state)).finalOutput;
}
