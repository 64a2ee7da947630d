// Triage: one agent leads, and hands parts to two others, which are its tools.
import { agent, ask, researcher, reviewer, watch } from "./common.js";

const asTool = (one, toolName, toolDescription) => one.asTool({ toolName, toolDescription, onStream: ({ event }) => watch.event(one, event) });
const dispatcher = agent("dispatcher", "You are the dispatcher. Find out what the customer wants, and hand parts to the others.", {
  tools: [asTool(researcher, "ask_researcher", "Looks up what the documents say."), asTool(reviewer, "ask_reviewer", "Checks a reply.")],
});

export const begin = (id, message) => ask(dispatcher, "Answer the customer's request.", { message });
