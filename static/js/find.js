// Finds words in all of a chat, also in what is not on the page yet. It is loaded once it is opened.
const texts = JSON.parse(document.getElementById("texts").textContent);
const bar = document.querySelector("[data-find]");
const transcript = document.getElementById("transcript");
const scroller = document.scrollingElement;
const [field, count] = bar.querySelectorAll("input, output");
const nothing = { items: [], total: 0 };
let found = nothing, at = -1, turn = 0, opener;

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
  if (!document.getElementById(id)) {
    const wanted = new CustomEvent("bring", { detail: { id } });
    document.dispatchEvent(wanted);
    await wanted.detail.come;
  }
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

export function open() {
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
field.addEventListener("input", () => {
  clearTimeout(soon);
  soon = setTimeout(look, 150);
});
bar.addEventListener("submit", (e) => e.preventDefault());
bar.addEventListener("click", (e) => {
  const button = e.target.closest("button");
  if (button) "close" in button.dataset ? close() : step(Number(button.dataset.step));
});
addEventListener("keydown", (e) => {
  if (bar.hidden) return;
  if (e.key === "Escape" && !e.isComposing && (bar.contains(e.target) || !document.querySelector(".menu[open], dialog[open], :popover-open"))) {
    e.stopImmediatePropagation();
    return close();
  }
  if (e.key !== "Enter" || e.target !== field || e.isComposing) return;
  e.preventDefault();
  e.stopImmediatePropagation();
  step(e.shiftKey ? 1 : -1);
}, true);
