// A model that makes the calls that the person's message lists, then says "done". It says
// that at once where it is offered no tools: it is to name the chat.
import { createServer } from "node:http";
import { once } from "node:events";

const reminder = /(?:^|\n\n)\[(?:System reminder|What the MCP server)[^]*/;

/** Answers one request as a stream. Reminders may stand behind the person's words. */
function answer(request, response) {
  const words = (m) => m.content.replace(reminder, "");
  const last = request.messages.findLastIndex((m) => m.role === "user" && words(m) !== "");
  const asked = request.messages.slice(last + 1).some((m) => m.role === "assistant");
  const calls = asked || !request.tools ? [] : JSON.parse(words(request.messages[last]));
  const delta = calls.length === 0
    ? { content: "done" }
    : { tool_calls: calls.map(({ name, arguments: args }, index) => ({ index, id: `call_${index}`, type: "function", function: { name, arguments: JSON.stringify(args) } })) };
  const chunk = (choice) => response.write(`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: "scripted", choices: [{ index: 0, ...choice }] })}\n\n`);
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  chunk({ delta });
  chunk({ delta: {}, finish_reason: calls.length === 0 ? "stop" : "tool_calls" });
  response.end("data: [DONE]\n\n");
}

/** Starts the endpoint and returns its address and its end. */
export async function start() {
  const server = createServer(async (req, res) => {
    if (req.method === "GET") return void res.end(JSON.stringify({ data: [{ id: "scripted" }] }));
    let body = "";
    for await (const piece of req) body += piece;
    answer(JSON.parse(body), res);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${server.address().port}/v1`, stop: () => server.close() };
}
