// The message field: drafts, sending exactly once, and what to do when sending
// fails. Without this script the form posts as any form does.
const texts = JSON.parse(document.getElementById("texts").textContent);
const form = document.querySelector("[data-composer]");
const text = form.querySelector("textarea");
const problem = form.querySelector("[data-problem]");
const ask = form.querySelector("[data-supersede]");
const button = form.querySelector(".composer-bar [type=submit]");
const key = `draft:${form.dataset.draft}`;
const state = () => document.getElementById("run-state")?.dataset ?? {};

const grow = () => {
  text.rows = 1;
  while (text.rows < 10 && text.scrollHeight > text.clientHeight + 2) text.rows += 1;
};
const say = (message) => Object.assign(problem, { textContent: message, hidden: !message });

if (!text.value) text.value = localStorage.getItem(key) ?? "";
grow();
const byTouch = matchMedia("(pointer: coarse)").matches; // who has no pointer at all has keys
if (!byTouch && !location.hash) text.focus({ preventScroll: true });
text.addEventListener("input", () => [grow(), keep()]);

const beginsLine = (e) => e.shiftKey || (byTouch && !e.ctrlKey && !e.metaKey && !document.documentElement.dataset.keyboard);
text.addEventListener("keydown", (e) => {
  if (e.key !== "Enter" || beginsLine(e) || e.isComposing || e.keyCode === 229) return; // an input method is at work
  e.preventDefault();
  form.requestSubmit();
});

// A message keeps its client id until it is taken: sending it again after a cut
// starts nothing twice. Another text is another message: the first may have arrived.
const newId = () => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
let tried, clientId, made; // made is the page of a new chat, until that comes

const csrf = () => document.querySelector('meta[name="csrf-token"]').content;
async function call(url, body) {
  const res = await fetch(url, {
    method: "POST", headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf() }, body: JSON.stringify(body),
  });
  if (!res.ok) throw await problemOf(res);
  return res.json().catch(() => ({}));
}

const parentId = () => document.querySelector(".chat[data-leaf]")?.dataset.leaf; // what this page shows is answered
const send = (content, supersede) => call(form.dataset.api, { content, clientId, parentId: parentId(), supersede, queue: !supersede, documentId: form.elements.document_id.value, agent: form.elements.agent?.value });

// What is written while the agent asks something is the answer, unless it is a command.
const answer = (approval, content) =>
  call(form.dataset.api.replace(/conversations\/.*/, `approvals/${approval}/decision`), { decision: "answer", answer: content });
const hint = text.placeholder;
function invite() {
  text.placeholder = state().question ? texts.answerIt : hint;
  if (ask && (state().status !== "paused" || "aborting" in state())) ask.hidden = true; // what it asks is not so any more
}
document.addEventListener("fragments", invite);
invite();

// A new chat is made by the form's own action, which leads to its page. Where that did not
// come, because somebody stopped it, the same text leads there once more.
async function start(content) {
  made ??= await make(content);
  await new Promise((gone, fail) => [addEventListener("pagehide", gone, { once: true }), setTimeout(fail, 10000, new TypeError()), location.assign(made)]);
  return {};
}

async function make(content) {
  const body = new URLSearchParams(new FormData(form));
  body.set("content", content);
  body.set("client_id", clientId);
  const res = await fetch(form.action, { method: "POST", headers: { "X-CSRF-Token": csrf() }, body });
  if (!res.ok) throw new Error(new DOMParser().parseFromString(await res.text(), "text/html").querySelector("[data-problem]")?.textContent || texts.notStarted);
  if (!res.url.includes("/c/")) throw new Error(texts.signedOut);
  return res.url;
}

async function problemOf(res) {
  if (res.status === 401 || res.status === 403) return new Error(texts.signedOut);
  const body = await res.json().catch(() => ({}));
  const reason = body.detail ?? body.title;
  return new Error(reason ? texts.refused.replace("{reason}", () => reason) : texts.notSent);
}

let sending = null, again = false; // the message that is on its way, and whether Enter was pressed meanwhile
const unsent = () => [sending, text.value].filter(Boolean).join("\n");

const keep = () => (unsent() ? localStorage.setItem(key, unsent()) : localStorage.removeItem(key)); // for the next visit

// show puts a message into the transcript before it is taken.
function show(content) {
  const pale = form.querySelector("[data-sending]").content.firstElementChild.cloneNode(true);
  pale.firstElementChild.textContent = content;
  document.querySelector("#transcript, .welcome").append(pale);
  document.scrollingElement.scrollTop = document.scrollingElement.scrollHeight;
  return pale;
}

async function submit(content, by) {
  if (!content.trim()) return;
  if (sending !== null) return (again = true);
  const { status, question: asked } = state();
  const question = content.startsWith("/") ? "" : asked, supersede = by === "supersede";
  if (ask && status === "paused" && !by && !question) {
    ask.hidden = false;
    ask.focus(); // not one of its buttons: the key that asked must not answer
    return;
  }
  say("");
  if (tried !== content) [tried, clientId, made] = [content, newId()];
  sending = content;
  if (text.value === content) text.value = ""; // the next message may be written while this one is on its way
  keep();
  grow();
  byTouch ? text.blur() : text.focus(); // the keyboard of a phone makes room for the answer
  const pale = show(content);
  button.ariaBusy = true;
  try {
    const { messageId } = await (question && !by ? answer(question, content) : form.dataset.api ? send(content, supersede) : start(content));
    if (messageId && !document.getElementById(`m-${messageId}`)) pale.id = `m-${messageId}`; // the socket brings it
    else pale.remove();
    tried = null;
    document.dispatchEvent(new Event("message-sent"));
    if (ask) ask.hidden = true;
  } catch (err) {
    pale.remove();
    text.value = unsent();
    grow();
    again = false;
    say(err instanceof TypeError ? texts.offline : err.message);
  }
  button.ariaBusy = sending = null;
  keep();
  if (again && form.dataset.api) form.requestSubmit();
  again = false;
}

form.addEventListener("submit", (e) => {
  e.preventDefault();
  const by = e.submitter;
  submit(by?.name === "example" ? by.value : text.value, ["supersede", "queue"].find((name) => name === by?.name));
});
form.querySelector("[data-keep-waiting]")?.addEventListener("click", (e) => {
  e.preventDefault();
  ask.hidden = true;
  text.focus();
});
