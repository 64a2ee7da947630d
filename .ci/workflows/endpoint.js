// A model whose answers follow from the request alone, and which can stop in the middle of one.
import { once } from "node:events";
import { createServer } from "node:http";

const appends = ["researcher", "coder", "analyst", "historian"]; // they append a line before they answer
const team = ["researcher", "reviewer"]; // whom the dispatcher asks, one after the other
const typed = ["accepted", "remarks", "post", "done"];

const textOf = ({ content }) => (typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n"));

/** What the model says to a request, and the calls that it makes. */
function answer({ messages, tools = [], response_format }) {
  const told = messages.map(textOf).join("\n");
  const role = /You are the (\w+)\./.exec(told)?.[1] ?? "nobody";
  const read = messages.filter((m) => m.role === "user" || m.role === "tool").map(textOf).join("\n");
  const made = messages.flatMap((m) => m.tool_calls ?? []).map((c) => c.function);
  const offered = (end) => tools.map((t) => t.function.name).find((name) => name.endsWith(end));
  const call = (name, args) => ({ name, args: JSON.stringify(args) });
  const round = Math.max(0, ...[...read.matchAll(/version (\d+)/g)].map((m) => Number(m[1])));
  const values = { accepted: round > 1, remarks: "Mend the second line.", post: `This is the post of the ${role}.`, done: read.includes("the post of the") };

  const append = appends.includes(role) && offered("append_line");
  if (append && !made.some((c) => c.name === append)) return { role, text: "I append a line to the file before I go on.", calls: [call(append, { line: role })] };
  const next = team.filter((one) => !made.some((c) => c.name === `ask_${one}` || (c.name === "delegate" && JSON.parse(c.arguments).agent === one)))[0];
  if (role === "dispatcher" && next) {
    const task = `Do the part of the ${next}.`;
    const [own, params] = [tools.find((t) => t.function.name === `ask_${next}`), { task, input: task }];
    if (!own) return { role, text: "I hand a part of this over.", calls: [call("delegate", { agent: next, task })] };
    const [name] = Object.keys(own.function.parameters.properties);
    return { role, text: "I hand a part of this over.", calls: [call(own.function.name, { [name]: params[name] })] };
  }
  if (offered("publish") && !made.some((c) => c.name === "publish")) return { role, text: "I put the text before a person.", calls: [call("publish", { text: "The edited text." })] };
  if (offered("emit_value")) {
    const due = typed.filter((name) => new RegExp(`\\b${name} \\((boolean|string)\\)`).test(told) && !made.some((c) => c.name === "emit_value" && JSON.parse(c.arguments).name === name));
    if (due.length > 0) return { role, text: "I hand the values in one by one.", calls: due.map((name) => call("emit_value", { name, value: values[name] })) };
  }
  const schema = response_format?.json_schema?.schema.properties;
  if (schema) return { role, text: JSON.stringify(Object.fromEntries(Object.keys(schema).map((name) => [name, values[name]]))), calls: [] };
  return { role, text: `Here is what the ${role} has made of it, version ${round + 1}, for whoever comes next.`, calls: [] };
}

/**
 * Starts the endpoint. `calls` are the requests since `reset`; with `hold` set to n, the n-th
 * gets half of its answer and then nothing more.
 */
export async function start() {
  const self = { calls: [], hold: 0, reset: () => { self.calls = []; self.hold = 0; } };
  const server = createServer(async (req, res) => {
    if (req.method === "GET") return void res.end(JSON.stringify({ data: [{ id: "scripted" }] }));
    let body = "";
    for await (const piece of req) body += piece;
    const request = JSON.parse(body);
    const { role, text, calls } = answer(request);
    const made = { role, answered: false, tokens: 0, held: self.calls.length + 1 === self.hold };
    self.calls.push(made);
    const usage = { prompt_tokens: Math.ceil(body.length / 4), completion_tokens: Math.ceil(text.length / 4) };
    made.tokens = usage.total_tokens = usage.prompt_tokens + usage.completion_tokens;
    const tool_calls = calls.map((c, index) => ({ index, id: `call_${role}_${self.calls.length}_${index}`, type: "function", function: { name: c.name, arguments: c.args } }));
    const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
    const head = { id: `c${self.calls.length}`, created: 0, model: "scripted" };
    if (!request.stream) {
      if (made.held) return;
      res.setHeader("Content-Type", "application/json");
      const message = { role: "assistant", content: text, ...(calls.length > 0 && { tool_calls }) };
      res.end(JSON.stringify({ ...head, object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage }));
      made.answered = true;
      return;
    }
    const send = (more) => res.write(`data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [], ...more })}\n\n`);
    const say = (content) => send({ choices: [{ index: 0, delta: { role: "assistant", content } }] });
    res.writeHead(200, { "Content-Type": "text/event-stream" });
    const half = Math.ceil(text.length / 2);
    say(text.slice(0, half));
    if (made.held) return;
    say(text.slice(half));
    if (calls.length > 0) send({ choices: [{ index: 0, delta: { tool_calls } }] });
    send({ choices: [{ index: 0, delta: {}, finish_reason }] });
    send({ usage });
    res.end("data: [DONE]\n\n");
    made.answered = true;
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  self.url = `http://127.0.0.1:${server.address().port}/v1`;
  self.stop = () => { server.closeAllConnections(); server.close(); };
  return self;
}
