// Plays the six workflows in each program, once undisturbed and once killed in the middle of
// the third model call, and prints what came of it as tables.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as rest } from "node:timers/promises";
import * as endpoint from "./endpoint.js";
import * as peer from "./peer.js";
import * as program from "./program.js";

const names = ["content", "comparison", "code", "experts", "triage", "report"];
const said = { content: "yes", report: "The corrected report." };
const quiet = 1500; // ms without a further call, until all is taken to have come to rest
const patience = 5000; // ms after a restart, in which something may go on by itself
const folder = mkdtempSync(join(tmpdir(), "workflows-"));
const model = await endpoint.start();

const linesOf = (file) => (existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean).length : 0);

/** Two libraries: each workflow in processes of its own, with a store of its own. */
const library = (called, version, name) => ({
  called, version, shared: [`${name}/common.js`], files: names.map((n) => `${name}/${n}.js`),
  async open(workflow, id) {
    const [at, effects] = [join(folder, `${name}-${id}.db`), join(folder, `${name}-${id}.txt`)];
    const env = { OPENAI_BASE_URL: model.url, DATABASE: at, EFFECTS: effects };
    let one;
    const start = async () => { one = await peer.start(name, workflow, id, env); };
    await start();
    return {
      begin: async () => one.say("begin"), goOn: () => one.say("goOn"), decide: (answer) => one.say(`decide ${answer}`),
      inside: async () => one.seen, effects: () => linesOf(effects), kill: () => one.kill(), restart: start, end: () => one.end(),
      async outside() {
        const other = await peer.start(name, workflow, id, env);
        const look = await other.say("look");
        await other.end();
        return look;
      },
    };
  },
});

/** Fusebox: one server with all six, seen from outside only. */
const fusebox = {
  called: "Fusebox", shared: ["fusebox/common.toml", "fusebox/notes.js"], files: names.map((n) => `fusebox/${n}.toml`),
  async open(workflow, id) {
    const effects = join(folder, `notes-${id}`, "effects.txt");
    const server = program.make(join(folder, `fusebox-${id}`), names, { url: model.url, effects });
    await server.start();
    let chat;
    return {
      begin: async () => server.ended((chat = await server.begin(workflow))), goOn: () => server.ended(chat),
      decide: (answer) => server.decide(chat, answer === "yes" ? "Yes" : answer),
      inside: async () => null, outside: () => server.look(chat), effects: () => linesOf(effects),
      kill: () => server.kill(), restart: () => server.start(), end: () => server.kill("SIGTERM"),
    };
  },
};

/** Decides what waits for a person, and fails where there is no answer then. */
async function toTheEnd(one, workflow, result) {
  const end = result?.waits ? await one.decide(said[workflow]) : result;
  if (!end?.answer) throw new Error(`${workflow}: no answer, but ${JSON.stringify(end)}`);
}

/** Waits until the n-th call is held, and nothing else happens. */
async function held() {
  for (let before = -1; !model.calls.some((c) => c.held) || model.calls.length !== before; await rest(quiet)) before = model.calls.length;
}

async function measure(system, workflow) {
  model.reset();
  const calm = await system.open(workflow, `${workflow}-1`);
  const first = await calm.begin();
  const person = first?.waits ? (await calm.outside()).waits.some((w) => w.at(-1) === "person") : null;
  await toTheEnd(calm, workflow, first);
  const usual = { calls: model.calls.length, tokens: model.calls.reduce((sum, c) => sum + c.tokens, 0), effects: calm.effects() };
  await calm.end();

  model.reset();
  model.hold = 3;
  const killed = await system.open(workflow, `${workflow}-2`);
  killed.begin().catch(() => {}); // its process is killed
  await held();
  const [inside, outside] = [await killed.inside(), await killed.outside()];
  await killed.kill();
  const kept = model.calls.filter((c) => c.answered).length;
  model.reset();
  await killed.restart();
  for (const since = Date.now(); model.calls.length === 0 && Date.now() - since < patience;) await rest(25);
  const alone = model.calls.length > 0;
  await toTheEnd(killed, workflow, await killed.goOn());
  const again = model.calls.length - (usual.calls - kept);
  const twice = killed.effects() - usual.effects;
  await killed.end();
  return { ...usual, kept, again, alone, twice, person, inside, outside };
}

/** Lines that say something, and their characters without indentation. */
function size(files) {
  const lines = files.flatMap((file) => readFileSync(file, "utf8").split("\n").map((l) => l.trim())).filter((l) => l && !/^(\/\/|\/?\*|#)/.test(l));
  return `${lines.length} (${lines.join("").length})`;
}

function table(head, rows) {
  const row = (cells) => console.log(`| ${cells.join(" | ")} |`);
  row(head);
  row(head.map(() => "---"));
  rows.forEach(row);
  console.log();
}

const version = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version;
const systems = [fusebox, library("LangGraph.js", version("@langchain/langgraph"), "langgraph"), library("OpenAI Agents", version("@openai/agents"), "openai")];
const heads = systems.map((s) => s.version ? `${s.called} ${s.version}` : s.called);

try {
  const found = new Map();
  for (const system of systems) for (const name of names) found.set(`${system.called} ${name}`, await measure(system, name));
  const of = (system, name) => found.get(`${system.called} ${name}`);
  const all = (system) => names.map((name) => of(system, name));

  console.log(`Node.js ${process.version}, ${new Date().toISOString().slice(0, 10)}\n\nLines (characters)\n`);
  table(["", ...heads], [
    ...names.map((name, i) => [name, ...systems.map((s) => size([s.files[i]]))]),
    ["shared", ...systems.map((s) => size(s.shared))],
    ["in all", ...systems.map((s) => size([...s.files, ...s.shared]))],
  ]);

  console.log("Model calls (tokens) undisturbed\n");
  table(["", ...heads], names.map((name) => [name, ...systems.map((s) => `${of(s, name).calls} (${of(s, name).tokens})`)]));

  console.log("Killed in the middle of the third model call: calls made again of those that were answered, lines appended twice\n");
  table(["", ...heads], [
    ...names.map((name) => [name, ...systems.map((s) => `${of(s, name).again} of ${of(s, name).kept}, ${of(s, name).twice}`)]),
    ["goes on by itself", ...systems.map((s) => `${all(s).filter((m) => m.alone).length} of ${names.length}`)],
  ]);

  console.log("Seen in the middle of the third model call, by another process / in the same one, of six\n");
  const seen = {
    "states of steps": (look) => Object.keys(look.steps).length > 0, "tokens so far": (look) => look.tokens > 0, "money so far": (look) => look.money > 0,
    "which agent waits for which": (look) => look.waits.length > 0, "text as it comes": (look) => look.text !== "",
  };
  const count = (system, where, test) => all(system).filter((m) => m[where] && test(m[where])).length;
  table(["", ...heads], [
    ...Object.entries(seen).map(([what, test]) => [what, ...systems.map((s) => `${count(s, "outside", test)} / ${s === fusebox ? "–" : count(s, "inside", test)}`)]),
    ["what waits for a person, of two", ...systems.map((s) => `${all(s).filter((m) => m.person).length} / –`)],
  ]);
  console.log("What that is for triage\n");
  for (const s of systems) for (const where of ["outside", "inside"]) if (of(s, "triage")[where]) console.log(`${s.called}, ${where}: ${JSON.stringify(of(s, "triage")[where])}`);

  for (const name of names) {
    const { again, alone, twice } = of(fusebox, name);
    if (again > 0 || !alone || twice > 0) throw new Error(`Fusebox, ${name}: after a kill, ${again} calls and ${twice} lines are made again, by itself: ${alone}`);
  }
} finally {
  model.stop();
  rmSync(folder, { recursive: true, force: true });
}
