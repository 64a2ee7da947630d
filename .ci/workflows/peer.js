// A workflow of LangGraph.js or the Agents SDK, in a process of its own.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export async function start(library, name, id, env) {
  const child = spawn(process.execPath, ["play.js", library, name, id], { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "inherit"] });
  const self = { seen: null };
  let ready, told;
  const began = new Promise((resolve) => (ready = resolve));
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { seen, result } = JSON.parse(line);
    if (seen) self.seen = seen;
    else if (result !== undefined) told?.(result);
    else ready();
  });
  child.on("exit", (code) => told?.(code ? { failed: code } : null));
  self.say = (line) => {
    const result = new Promise((resolve) => (told = resolve));
    child.stdin.write(`${line}\n`);
    return result;
  };
  self.kill = async () => {
    told = null;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  self.end = async () => {
    const ended = child.exitCode === null ? once(child, "exit") : null;
    child.stdin.end();
    await ended;
  };
  await began;
  return self;
}
