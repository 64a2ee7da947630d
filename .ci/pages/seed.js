// Fills a new Fusebox through its API, so that pages have something to show.
const headers = { authorization: `Bearer ${process.env.PAGES_TOKEN}`, "content-type": "application/json" };

async function call(method, path, body) {
  const response = await fetch(process.env.PAGES_URL + path, { method, headers, body: body && JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text ? JSON.parse(text) : {};
}

/** Waits until a run ends or needs a person. */
async function settled(runId) {
  for (let tries = 0; tries < 300; tries++) {
    const run = await call("GET", `/api/v1/runs/${runId}`);
    if (run.status !== "queued" && run.status !== "running") return run;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`run ${runId} does not come to rest`);
}

/** One chat with what the demo model answers to a message. */
async function chat(content) {
  const { id } = await call("POST", "/api/v1/conversations", { title: content });
  const { runId } = await call("POST", `/api/v1/conversations/${id}/messages`, { content });
  await settled(runId);
  return { chat: `/c/${id}`, run: `/runs/${runId}`, id };
}

/** The pages of the chats, by what they show. */
export async function seed() {
  const words = ["test markdown", "test thinking", "test parallel", "test approval", "test critical approval", "test question",
    "test dead loop", "test ping-pong", "test chanting", "test budget", "look up night trains"];
  const chats = await Promise.all(words.map(chat));
  const of = (word) => chats[words.indexOf(word)];
  const { items } = await call("GET", "/api/v1/approvals");
  const card = (word) => `/approvals/${items.find((item) => item.conversationId === of(word).id).id}`;
  return {
    chats: words.map((word) => of(word).chat),
    cards: words.filter((word) => items.some((item) => item.conversationId === of(word).id)).map(card),
    runs: [of("test markdown").run, of("test dead loop").run],
    setup: `${of("test markdown").chat}/setup`,
  };
}
