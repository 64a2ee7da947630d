// Shows another branch of a chat in the place of the one that is shown: by the arrows of a message, after
// what people do with messages, and where the one that is read is deleted. What both have stays as it is.
const host = document.querySelector(".chat[data-leaf]");
const transcript = document.getElementById("transcript");
const scroller = document.scrollingElement;
const live = document.getElementById("live");
const byId = (id) => document.getElementById(id);
let turn = 0, busy = 0;

// merge replaces what follows the messages that both pages begin with.
function merge(page) {
  const fresh = [...page.getElementById("transcript").children];
  let old = byId(fresh[0]?.id);
  if (old?.parentElement !== transcript) old = null;
  if (!old) transcript.replaceChildren();
  let i = 0;
  for (; old && fresh[i] && old.id === fresh[i].id && !fresh[i].querySelector(".writing"); i++) {
    const [was, is] = [old, fresh[i]].map((el) => el.querySelector(":scope > .versions"));
    if (was && is && was.innerHTML !== is.innerHTML) was.replaceWith(is);
    old = old.nextElementSibling;
  }
  while (old) [old, old.nextElementSibling].reduce((gone, next) => (gone.remove(), (old = next)));
  transcript.append(...fresh.slice(i));
}

// hold keeps the top of a message where it was; below a short branch there is room for that, until the branch grows.
const room = document.createElementNS("http://www.w3.org/2000/svg", "svg");
for (const [name, value] of [["class", "branch-room"], ["width", 1], ["aria-hidden", true]]) room.setAttribute(name, value);
let wanted = 0; // pixels from the top of the transcript to the end of the room
const fit = () => {
  const height = Math.round(wanted - transcript.offsetHeight);
  height > 0 ? room.setAttribute("height", height) : room.remove();
};
function hold(id, top) {
  room.remove();
  const el = byId(id);
  if (!el || top === undefined) return;
  const moved = () => el.getBoundingClientRect().top - top;
  scroller.scrollTop += moved();
  const missing = Math.ceil(moved());
  if (missing <= 1) return;
  wanted = transcript.offsetHeight + missing;
  transcript.after(room);
  fit();
  scroller.scrollTop += moved();
}
if (host) new ResizeObserver(() => room.isConnected && fit()).observe(transcript);

function show(text, held) {
  const page = new DOMParser().parseFromString(text, "text/html");
  const chat = page.querySelector(".chat[data-leaf]");
  if (!chat) throw new TypeError("no chat");
  document.documentElement.classList.add("prepending"); // the browser must not hold another message
  merge(page);
  for (const id of ["fuses", "away", "run-state", "queue"]) byId(id)?.replaceWith(page.getElementById(id));
  document.querySelector(".gone")?.remove();
  const gone = page.querySelector(".gone");
  if (gone) byId("fuses").before(gone);
  Object.assign(host.dataset, { seq: chat.dataset.seq, leaf: chat.dataset.leaf });
  for (const a of document.querySelectorAll(".earlier a")) a.href = a.href.replace(/branch=[^&]*/, () => `branch=${chat.dataset.leaf}`);
  hold(held.id, held.top);
  requestAnimationFrame(() => document.documentElement.classList.remove("prepending"));
  host.dispatchEvent(new Event("restart"));
  document.dispatchEvent(new CustomEvent("fragments"));
}

// go shows the page that a request leads to.
async function go(url, options, held = {}) {
  const mine = ++turn;
  busy++;
  try {
    const res = await fetch(url, options);
    const text = await res.text();
    if (mine !== turn) return true;
    if (!res.ok || !res.redirected && options?.method) return text;
    show(text, typeof held === "function" ? held(res) : held);
    const open = new URLSearchParams(location.search).get("document");
    history.replaceState(null, "", location.pathname + (open ? `?document=${open}` : ""));
    return true;
  } finally {
    busy--;
  }
}

const say = (text) => live.append(Object.assign(document.createElement("p"), { textContent: text }));

// The message whose arrow was pressed stays where it is, and so does the focus.
document.addEventListener("submit", async (e) => {
  const form = e.target;
  if (!host || !form.matches("[data-versions]")) return;
  e.preventDefault();
  const to = e.submitter.value, way = e.submitter.id.replace(/.*-/, "");
  if (!to) return;
  const { top } = form.closest("article").getBoundingClientRect();
  const body = new URLSearchParams(new FormData(form, e.submitter));
  await go(form.action, { method: "POST", body }, { id: `m-${to}`, top }).catch(() => form.submit());
  byId(`m-${to}-v-${way}`)?.focus({ preventScroll: true });
  const count = byId(`m-${to}-v`)?.querySelector("[data-count]");
  if (count) say(count.textContent);
});

document.addEventListener("click", (e) => {
  const a = e.target.closest("[data-branch-link]");
  if (!host || !a || e.ctrlKey || e.metaKey || e.shiftKey) return;
  e.preventDefault();
  go(a.href).then(() => scroller.scrollTo(0, scroller.scrollHeight)).catch(() => (location.href = a.href));
});

document.addEventListener("submit", (e) => e.target.matches("[data-composer]") && room.remove()); // one goes to the end
document.addEventListener("show-branch", ({ detail }) => (detail.done = go(detail.url, detail.options, detail.held)));

// What is read was deleted: by another page, unless this one is at it.
document.addEventListener("fragments", ({ detail }) => {
  const lost = detail?.find((f) => f.op === "branch");
  if (!lost || busy) return;
  say(lost.html);
  go(`${location.pathname}?gone=1${lost.target && `&branch=${lost.target}`}`).catch(() => location.reload());
});
