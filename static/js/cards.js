// Approval cards and small helpers in parts: decision keys, sending a decision
// without leaving the page, copy buttons, clocks that run.
const csrf = () => document.querySelector('meta[name="csrf-token"]')?.content ?? "";
const deadTime = 700; // a key that was meant for something else decides nothing
const still = new WeakMap(); // card -> when it last appeared or moved

const cards = () => [...document.querySelectorAll("[data-card]")];
const rows = () => [...document.querySelectorAll("[data-card], .inbox-link")];

// A card that appeared, moved or just got the focus takes no key for a moment.
function watch() {
  for (const card of cards()) {
    const top = Math.round(card.getBoundingClientRect().top + scrollY);
    if (still.get(card)?.top !== top) still.set(card, { top, since: performance.now() });
    for (const hint of card.querySelectorAll("[data-keys]")) hint.hidden = matchMedia("(pointer: coarse)").matches;
  }
}
document.addEventListener("fragments", watch);
addEventListener("resize", watch);
document.addEventListener("focusin", (e) => {
  const card = e.target.closest("[data-card]");
  if (card && !card.contains(e.relatedTarget)) still.set(card, { ...still.get(card), since: performance.now() });
});
watch();

function step(by) {
  const all = rows();
  const at = all.findIndex((el) => el.contains(document.activeElement));
  const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.max(0, Math.min(all.length - 1, at + by))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || e.repeat) return;
  if (e.target.closest("input, textarea, select")) return;
  if (e.key === "j" || e.key === "k") return step(e.key === "j" ? 1 : -1);
  const card = e.target.closest("[data-card]");
  if (!card || performance.now() - (still.get(card)?.since ?? 0) < deadTime) return;
  if (e.key === "e") {
    const box = card.querySelector("[data-edit]");
    if (!box) return;
    e.preventDefault();
    box.open = true;
    box.querySelector("textarea").focus();
    return;
  }
  const button = card.querySelector(`[data-key="${CSS.escape(e.key)}"]`);
  if (!button || e.key.length !== 1) return;
  e.preventDefault();
  button.click();
});

function decision(form, verb) {
  const f = new FormData(form);
  const body = { decision: verb, generation: Number(f.get("generation")), argsHash: f.get("args_hash") || undefined };
  const comment = f.get("comment")?.trim();
  if (comment) body.comment = comment;
  if (["answer", "resume", "takeover"].includes(verb) && f.get("answer")) body.answer = f.get("answer");
  if (["approve", "edit"].includes(verb) && f.get("scope")) body.scope = f.get("scope");
  if (verb === "edit") body.args = JSON.parse(f.get("args"));
  if (verb === "resume" && f.get("raise_tokens_by")) body.raiseTokensBy = Number(f.get("raise_tokens_by"));
  return body;
}

// Abort asks once, in place.
function confirmed(button) {
  if (button.value !== "abort" || button.dataset.sure) return true;
  button.dataset.sure = "yes";
  button.textContent = "Really abort?";
  setTimeout(() => {
    delete button.dataset.sure;
    button.textContent = "Abort run";
  }, 4000);
  return false;
}

document.addEventListener("submit", async (e) => {
  const form = e.target.closest("[data-decide]");
  const button = e.submitter;
  if (!form || !button) return;
  e.preventDefault();
  if (form.dataset.busy || !confirmed(button)) return;
  const error = form.querySelector("[data-decide-error]");
  const fail = (message) => {
    error.textContent = message;
    error.hidden = false;
    delete form.dataset.busy;
  };
  form.dataset.busy = "yes";
  try {
    const res = await fetch(`/api/v1/approvals/${form.dataset.decide}/decision`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf() },
      body: JSON.stringify(decision(form, button.value)),
    });
    if (!res.ok) {
      const body = await res.json().catch(() => ({}));
      return fail(body.detail ?? "The decision was not taken. Reload the page and look again.");
    }
    if (!form.closest("[data-stream]")) location.reload();
  } catch (err) {
    fail(err instanceof SyntaxError ? `The arguments are not JSON: ${err.message}` : "The server cannot be reached. Nothing was decided.");
  }
});

document.addEventListener("click", async (e) => {
  const button = e.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.closest(".code").querySelector("pre").innerText);
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = "Copy"), 1500);
});

// Forms that came over the socket have no token of their own.
document.addEventListener("submit", (e) => {
  const field = e.target.elements.csrf_token;
  if (field && !field.value) field.value = csrf();
}, true);

const pad = (n) => String(n).padStart(2, "0");
function clock(ms) {
  const s = Math.max(0, Math.floor(ms / 1000));
  return s >= 3600 ? `${Math.floor(s / 3600)}:${pad(Math.floor(s / 60) % 60)}:${pad(s % 60)}` : `${Math.floor(s / 60)}:${pad(s % 60)}`;
}
function tick() {
  for (const el of document.querySelectorAll("[data-until]")) el.textContent = clock(Date.parse(el.dateTime) - Date.now() + 999);
  for (const el of document.querySelectorAll("[data-since]")) {
    el.textContent = clock(Date.now() - Date.parse(el.dataset.since));
  }
}
setInterval(tick, 500);
document.addEventListener("fragments", tick);
tick();
