// Fills a new Fusebox through its API, so that pages have something to show.
const headers = { authorization: `Bearer ${process.env.PAGES_TOKEN}`, "content-type": "application/json" };

async function call(method, path, body) {
  const response = await fetch(process.env.PAGES_URL + path, { method, headers, body: body && JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text ? JSON.parse(text) : {};
}

/** Waits until a run and its children end or need a person. */
async function settled(runId) {
  for (let tries = 0; tries < 300; tries++) {
    const run = await call("GET", `/api/v1/runs/${runId}`);
    const children = await Promise.all(run.children.map((id) => call("GET", `/api/v1/runs/${id}`)));
    const works = (r) => r.status === "queued" || r.status === "running";
    const waits = run.status === "paused" && !run.pendingApprovalIds.length && !children.some((r) => r.pendingApprovalIds.length);
    if (!works(run) && !children.some(works) && !waits) return run;
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

/** A document that has been read. */
async function documentOf(name, text, collection = "own") {
  const body = new FormData();
  body.append("file", new Blob([text]), name);
  body.append("collectionId", collection);
  const response = await fetch(`${process.env.PAGES_URL}/api/v1/documents`, { method: "POST", headers: { authorization: headers.authorization }, body });
  const { id } = await response.json();
  for (let tries = 0; tries < 300; tries++) {
    const { state } = await call("GET", `/api/v1/documents/${id}`);
    if (state !== "reading") return `/documents/${id}`;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${name} is not read`);
}

/** The pages of the chats, by what they show. */
export async function seed() {
  const words = ["test markdown", "test thinking", "test parallel", "test approval", "test critical approval", "test question",
    "test dead loop", "test ping-pong", "test chanting", "test budget", "look up night trains",
    "Compare the weather in Berlin, Paris, and Rome, one agent per city", "Have the coder append a line to notes.txt"];
  const chats = await Promise.all(words.map(chat));
  const of = (word) => chats[words.indexOf(word)];
  const { items } = await call("GET", "/api/v1/approvals");
  const collection = async (name, more) => (await call("POST", "/api/v1/collections", { name, ...more })).id;
  const house = await collection("Everything about the house in the Long Street", { visibility: "everybody", access: "write" });
  await collection("Contracts", {});
  const card = (word) => `/approvals/${items.find((item) => item.conversationId === of(word).id).id}`;
  return {
    chats: words.map((word) => of(word).chat),
    cards: words.filter((word) => items.some((item) => item.conversationId === of(word).id)).map(card),
    runs: [of("test markdown").run, of("test dead loop").run, of("Have the coder append a line to notes.txt").run],
    documents: [
      "/documents", "/documents?find=pump",
      await documentOf("pumps.md", "# Pumps\n\nPump 7 trips at 16 A.\n\n| part | price |\n| --- | --- |\n| seal | 3,2 |\n\n```\nstart pump7 --with-a-very-long-argument-that-does-not-fit-on-the-screen-of-a-phone\n```\n"),
      await documentOf("broken.pdf", "%PDF-1.7 and nothing more"),
      await documentOf("boiler.md", "# Boiler\n\nThe boiler is emptied in May.\n", house),
      `/documents?collection=${house}`, "/documents?collection=own", `/collections/${house}`, "/collections/new",
    ],
    setup: `${of("test markdown").chat}/setup`,
  };
}
