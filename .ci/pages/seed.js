// Fills a new Fusebox through its API, so that pages have something to show.
const headers = { authorization: `Bearer ${process.env.PAGES_TOKEN}`, "content-type": "application/json" };

async function call(method, path, body, lines) {
  const response = await fetch(process.env.PAGES_URL + path, { method, headers, body: body && JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  if (lines) return { items: text.trim().split("\n").filter(Boolean).map((line) => JSON.parse(line)) };
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

/** The pages of a chat with versions, and of what makes them. */
async function versions() {
  const { chat: path, id } = await chat("look up night trains");
  const said = async () => (await call("GET", `/api/v1/conversations/${id}/messages`)).items;
  const [asked, ...answers] = await said();
  const last = answers.findLast(({ role }) => role === "assistant").id;
  const again = async (to, body) => settled((await call("POST", to, body)).runId);
  await again(`/api/v1/messages/${last}/regenerate`, {});
  await again(`/api/v1/conversations/${id}/messages`, { content: "test hello", parentId: "root" });
  return [path, `${path}?branch=${last}`, ...["edit", "again", "delete"].map((does) => `${path}/messages/${does === "again" ? last : asked.id}/${does}`)];
}

/** The pages of an answer by a workflow, and of one that was made again from a step. */
async function workflow() {
  const { id } = await call("POST", "/api/v1/conversations", { title: "Tea or coffee", workflow: "compare-options", inputs: { options: "tea, coffee" } });
  const { runId } = await call("POST", `/api/v1/conversations/${id}/messages`, { content: "What should we serve?" });
  await settled(runId);
  const again = await call("POST", `/api/v1/runs/${runId}/again`, { step: "weigh", inputs: { criteria: "the price" } });
  await settled(again.runId);
  return [`/c/${id}`, `/runs/${again.runId}`, `/runs/${runId}/again?step=weigh`];
}

/** The page of an answer that was stopped in its middle. */
async function stopped() {
  const { id } = await call("POST", "/api/v1/conversations", { title: "A long story" });
  const { runId } = await call("POST", `/api/v1/conversations/${id}/messages`, { content: "test long answer" });
  for (let tries = 0; tries < 300; tries++) {
    const { items } = await call("GET", `/api/v1/conversations/${id}/events?follow=false`, undefined, true);
    if (items.some(({ type }) => type === "text-delta")) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await call("POST", `/api/v1/runs/${runId}/abort`);
  await settled(runId);
  return `/c/${id}`;
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
    answers: [...(await versions()), ...(await workflow()), await stopped()],
    setup: `${of("test markdown").chat}/setup`,
  };
}
