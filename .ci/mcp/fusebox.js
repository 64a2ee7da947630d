// The program, as its API shows it.
import { spawn, spawnSync } from "node:child_process";
import { setTimeout as rest } from "node:timers/promises";

/** Waits until a question has an answer. */
export async function until(what, ask, times = 1200) {
  for (let i = 0; i < times; i++) {
    const found = await ask();
    if (found) return found;
    await rest(25);
  }
  throw new Error(`waited in vain for ${what}`);
}

/** Starts the program and returns its API for two admins. */
export async function start(env) {
  const all = { ...process.env, FUSEBOX_ADDR: "127.0.0.1:0", FUSEBOX_ADMIN_EMAIL: "ana@example.org", FUSEBOX_ADMIN_PASSWORD: "a password for CI", FUSEBOX_TOOL_IN_VIEW: "1000", ...env };
  const program = spawn(process.env.FUSEBOX, [], { env: all, stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  program.stderr.on("data", (piece) => (log += piece));
  const url = await until("the start", () => {
    if (program.exitCode !== null) throw new Error(log);
    return log.match(/url=(http\S+)/)?.[1];
  });
  const run = (...args) => spawnSync(process.env.FUSEBOX, args, { env: all, input: "a password for CI\n" }).stdout.toString().trim();
  run("user", "add", "--email", "bob@example.org", "--role", "admin", "--password-stdin");
  const [anasToken, bobsToken] = ["ana", "bob"].map((name) => run("token", "new", "--user", `${name}@example.org`));
  return { url, anasToken, ana: client(url, anasToken), bob: client(url, bobsToken), log: () => log, stop: () => program.kill() };
}

/** Calls of one person. */
function client(url, token) {
  return async (method, path, body) => {
    const response = await fetch(url + "/api/v1" + path, {
      method, headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" }, body: body && JSON.stringify(body),
    });
    const answer = await response.json();
    return { status: response.status, ...answer };
  };
}
