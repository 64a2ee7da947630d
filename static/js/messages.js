// What is done with the messages of a chat: they are quoted where one writes, rated, and
// gone through.
const texts = JSON.parse(document.getElementById("texts").textContent);
const field = document.querySelector("[data-composer] textarea");
const root = document.documentElement;
root.dataset.acts = [field && "quote", window.speechSynthesis && "aloud"].filter(Boolean).join(" "); // others are not shown
const tell = (text) => document.getElementById("live").append(Object.assign(document.createElement("p"), { textContent: text }));

// words are what is selected in a message, or all of it as it was written.
async function words(message) {
  const { anchorNode, focusNode } = getSelection();
  const chosen = message.contains(anchorNode) && message.contains(focusNode) && getSelection().toString().trim();
  if (chosen) return chosen;
  const res = await fetch(message.querySelector("[data-copy-as]").href.replace(/\?.*/, ""));
  if (!res.ok || res.redirected) throw new Error(`status ${res.status}`);
  return res.text();
}

async function quote(message) {
  const lines = (await words(message)).trim().split("\n").map((line) => `> ${line}`.trimEnd());
  field.value = `${[field.value.trimEnd(), lines.join("\n")].filter(Boolean).join("\n\n")}\n\n`;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
  field.scrollTop = field.scrollHeight;
}

// A button that takes the selection away could not quote it.
document.addEventListener("mousedown", (e) => e.target.closest("[data-quote]") && e.preventDefault());
document.addEventListener("click", (e) => {
  const message = e.target.closest("[data-quote]")?.closest(".said, .answer");
  if (message) quote(message).catch(() => tell(texts.offline));
});

// The thumb that was chosen takes its rating back. After a rating the reason is asked for.
document.addEventListener("submit", async (e) => {
  const form = e.target.closest("[data-rate]");
  if (!form) return;
  e.preventDefault();
  const { value: rating, dataset: { thumb } } = e.submitter;
  const res = await fetch(form.dataset.api, {
    method: rating ? "PUT" : "DELETE",
    headers: { "Content-Type": "application/json", "X-CSRF-Token": document.querySelector('meta[name="csrf-token"]').content },
    body: rating ? JSON.stringify({ rating, reason: form.elements.reason.value }) : undefined,
  }).catch(() => null);
  if (!res?.ok) return tell(texts.notChanged);
  for (const button of form.querySelectorAll("[data-thumb]")) {
    const chosen = button.dataset.thumb === rating;
    button.ariaPressed = chosen;
    button.value = chosen ? "" : button.dataset.thumb;
  }
  const why = form.querySelector("details");
  why.hidden = !rating;
  why.open = Boolean(rating && thumb);
  why.querySelector("button").value = rating;
  if (why.open) return form.elements.reason.focus();
  tell(texts.thanks);
  if (!thumb) why.querySelector("summary").focus();
});

const transcript = document.getElementById("transcript");
const scroller = document.scrollingElement;
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
    const wanted = new CustomEvent("bring", { detail: {} });
    document.dispatchEvent(wanted);
    await wanted.detail.come;
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

const keys = { ArrowUp: "-1", ArrowDown: "1", End: "end" };
addEventListener("keydown", (e) => {
  if (!e.altKey || e.ctrlKey || e.metaKey || !(e.key in keys) || e.target.value) return;
  e.preventDefault();
  e.stopImmediatePropagation(); // in the empty field, an arrow means something else
  jump(keys[e.key]);
}, true);
