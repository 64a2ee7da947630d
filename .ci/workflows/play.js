// Plays a workflow of LangGraph.js or the Agents SDK as lines on stdin tell, and prints what is seen meanwhile.
import { createInterface } from "node:readline";

const [, , library, name, id] = process.argv;
const common = await import(`./${library}/common.js`);
const workflow = await import(`./${library}/${name}.js`);
const message = "Tea, coffee, or cocoa for the office?";

const seen = { steps: {}, tokens: 0, money: null, waits: [], text: "" };
const print = (what) => console.log(JSON.stringify(what));

/** Of a namespace such as lead:1f0…|tools:2a1…, the names. */
const namesOf = (path) => path.map((part) => part.split(":")[0]);

/** What the stream of a graph tells. */
function seeGraph([path, mode, data]) {
  if (mode === "messages") {
    if (data[0].type === "ai") seen.text += data[0].text;
    seen.tokens += data[0].usage_metadata?.total_tokens ?? 0;
  } else {
    const step = [...namesOf(path), data.name].join(">");
    if ("input" in data) {
      seen.steps[step] = "running";
      if (path.length > 0) seen.waits.push(step.split(">"));
    } else {
      seen.steps[step] = data.interrupts?.length > 0 ? "waits" : "done";
      seen.waits = seen.waits.filter((w) => w.join(">") !== step);
    }
  }
  print({ seen });
}

/** What the stream of a run tells. */
function seeRun(agent, event, result) {
  if (result) seen.tokens = Math.max(seen.tokens, result.state.usage.totalTokens);
  if (event.type === "raw_model_stream_event" && event.data.type === "output_text_delta") seen.text += event.data.delta;
  seen.steps[agent.name] ??= "running"; // agents that are tools have no hooks of their own
  print({ seen });
}

const graphs = {
  async ended(stream) {
    for await (const part of await stream) seeGraph(part);
    const { tasks, values } = await common.stateOf(workflow.default, id);
    return tasks.some((t) => t.interrupts.length > 0) ? { waits: true } : { answer: values.answer };
  },
  begin: () => graphs.ended(common.begin(workflow.default, id, message)),
  goOn: () => graphs.ended(common.goOn(workflow.default, id)),
  decide: (said) => graphs.ended(common.decide(workflow.default, id, said)),
  async look() {
    const look = { steps: {}, tokens: null, money: null, waits: [], text: "" };
    const see = ({ values, tasks }, path) => {
      for (const m of values?.messages ?? []) look.tokens += m.usage_metadata?.total_tokens ?? 0;
      for (const task of tasks ?? []) {
        const step = [...path, task.name];
        look.steps[step.join(">")] = "next";
        if (task.interrupts.length > 0) look.waits.push([...step, "person"]);
        if (task.state?.tasks?.length > 0) look.waits.push([...step, ...task.state.tasks.map((t) => t.name)]);
        if (task.state?.values) see(task.state, step);
      }
    };
    const state = await common.stateOf(workflow.default, id);
    see(state, []);
    for (const key of Object.keys(state.values)) look.steps[`value ${key}`] = "done";
    return look;
  },
};

const runs = {
  async ended(answer) {
    const said = await answer;
    return said?.waits ? said : { answer: said };
  },
  begin: () => runs.ended(workflow.begin(id, message)),
  goOn: () => runs.begin(), // nothing is kept but what waits for a person
  decide: (said) => runs.ended(workflow.decide(id, said)),
  async look() {
    const look = { steps: {}, tokens: null, money: null, waits: [], text: "" };
    try {
      common.kept(id);
      look.waits.push([name, "person"]);
    } catch { /* it does not wait */ }
    return look;
  },
};

if (library === "openai") {
  common.watch.event = seeRun;
  common.runner.on("agent_start", (_, agent) => { seen.steps[agent.name] = "running"; });
  common.runner.on("agent_end", (_, agent) => { seen.steps[agent.name] = "done"; });
  common.runner.on("agent_tool_start", (_, agent, tool) => { seen.waits.push([agent.name, tool.name]); });
  common.runner.on("agent_tool_end", (_, agent, tool) => { seen.waits = seen.waits.filter(([a, t]) => a !== agent.name || t !== tool.name); });
}
const does = library === "openai" ? runs : graphs;
print({ ready: true });
for await (const line of createInterface({ input: process.stdin })) {
  const [what, ...more] = line.split(" ");
  print({ result: await does[what](more.join(" ")) });
}
