// Finds words in all of a chat, also in what is not on the page yet, and leads from one of a
// person's messages to the next.
const texts = JSON.parse(document.getElementById("texts").textContent);
const bar = document.querySelector("[data-find]");
const transcript = document.getElementById("transcript");
const scroller = document.scrollingElement;
const [field, count] = bar ? bar.querySelectorAll("input, output") : [];
const nothing = { items: [], total: 0 };
let found = nothing, at = -1, turn = 0, opener;

// bring has earlier messages loaded until one is there, or one page of them.
function bring(id) {
  const wanted = new CustomEvent("bring", { detail: { id } });
  document.dispatchEvent(wanted);
  return wanted.detail.come;
}

// mark highlights words in a message, and returns where they are first.
function mark(message, words) {
  const nodes = [], starts = [];
  let text = "";
  const walk = document.createTreeWalker(message.querySelector(".prose, .said-text"), NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    nodes.push(walk.currentNode);
    starts.push(text.length);
    text += walk.currentNode.data;
  }
  const ranges = [], have = text.toLowerCase(), want = words.toLowerCase();
  const place = (i) => [nodes[starts.findLastIndex((s) => s <= i)], i - starts.findLast((s) => s <= i)];
  for (let i = have.indexOf(want); i >= 0 && have.length === text.length; i = have.indexOf(want, i + want.length)) {
    const range = new Range();
    range.setStart(...place(i));
    const [node, last] = place(i + want.length - 1);
    range.setEnd(node, last + 1);
    ranges.push(range);
  }
  if (window.Highlight) CSS.highlights.set("found", new Highlight(...ranges));
  return ranges[0];
}

function unmark() {
  window.Highlight && CSS.highlights.delete("found");
  transcript.querySelector(".found")?.classList.remove("found");
}

async function show() {
  const mine = ++turn, words = field.value.trim(), item = found.items[at];
  unmark();
  count.textContent = item ? texts.cardOf.replace("{at}", found.total - found.items.length + at + 1).replace("{count}", found.total) : words && texts.nothingFound;
  if (!item) return;
  const id = `m-${item.messageId}`;
  if (!document.getElementById(id)) await bring(id);
  const message = document.getElementById(id);
  if (mine !== turn || !message) return;
  message.classList.add("found");
  const box = (mark(message, words) ?? message).getBoundingClientRect();
  scroller.scrollTop += box.top - innerHeight / 3;
}

async function look() {
  const mine = ++turn, words = field.value.trim();
  const res = words && (await fetch(`${bar.dataset.api}?q=${encodeURIComponent(words)}`).catch(() => null));
  const got = res?.ok ? await res.json() : nothing;
  if (mine !== turn || bar.hidden) return;
  found = got;
  at = found.items.length - 1; // what is newest is nearest
  show();
}

function step(by) {
  at = (at + by + found.items.length) % (found.items.length || 1);
  show();
}

function open() {
  if (bar.hidden) opener = document.activeElement;
  bar.hidden = false;
  field.select();
  field.focus();
  if (field.value) look();
}

function close() {
  turn++;
  bar.hidden = true;
  unmark();
  (opener?.checkVisibility() ? opener : document.querySelector("[data-composer] textarea") ?? transcript).focus({ preventScroll: true });
}

let soon;
field?.addEventListener("input", () => {
  clearTimeout(soon);
  soon = setTimeout(look, 150);
});
bar?.addEventListener("submit", (e) => e.preventDefault());
bar?.addEventListener("click", (e) => {
  const button = e.target.closest("button");
  if (button) "close" in button.dataset ? close() : step(Number(button.dataset.step));
});
document.querySelector("[data-find-open]")?.addEventListener("click", (e) => {
  e.target.closest("details").open = false;
  open();
});

const atEnd = () => scroller.scrollHeight - scroller.scrollTop - innerHeight < 90;

// jump goes to the person's message before or after the one that is looked at, or to the end.
async function jump(to) {
  const mine = () => [...transcript.querySelectorAll(":scope > .said")];
  const edge = parseFloat(getComputedStyle(transcript).scrollMarginTop);
  const place = (m) => m.getBoundingClientRect().top - edge;
  let next, here = mine().indexOf(document.activeElement.closest("#transcript > .said"));
  if (here >= 0) next = here + Number(to);
  else if (to === "1") next = atEnd() ? -1 : mine().findIndex((m) => place(m) > 8);
  else next = atEnd() ? mine().length - 1 : mine().findLastIndex((m) => place(m) < -8);
  if (to === "-1" && next < 0) {
    const first = mine()[0];
    await bring();
    next = mine().indexOf(first) - 1;
  }
  const message = to !== "end" && mine()[next];
  if (!message) return to !== "-1" && scroller.scrollTo(0, scroller.scrollHeight);
  message.tabIndex = -1;
  scroller.scrollTop += place(message);
  message.focus({ preventScroll: true });
}

const jumps = document.querySelector("[data-jumps]");
jumps?.addEventListener("click", (e) => e.target.closest("button") && jump(e.target.closest("button").dataset.jump));
function offer() {
  if (!jumps) return;
  jumps.hidden = scroller.scrollHeight < innerHeight * 1.5;
  jumps.classList.toggle("at-end", atEnd());
}
document.addEventListener("fragments", offer);
for (const moved of ["resize", "scroll"]) addEventListener(moved, offer, { passive: true });
offer();

addEventListener("keydown", (e) => {
  if (bar && !bar.hidden && e.key === "Escape" && !e.isComposing && (bar.contains(e.target) || !document.querySelector(".menu[open], dialog[open], :popover-open"))) {
    e.stopImmediatePropagation();
    return close();
  }
  if (bar?.contains(e.target) && e.key === "Enter" && e.target === field && !e.isComposing) return step(e.shiftKey ? 1 : -1);
  if (bar && e.key.toLowerCase() === "f" && (e.ctrlKey || e.metaKey) && e.shiftKey) open();
  else if (jumps && e.altKey && !e.ctrlKey && !e.metaKey && !e.target.value && e.key in keys) jump(keys[e.key]);
  else return;
  e.preventDefault();
  e.stopImmediatePropagation();
}, true);
const keys = { ArrowUp: "-1", ArrowDown: "1", End: "end" };
