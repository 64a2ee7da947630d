// Approval cards and small helpers in parts: decision keys, sending a decision
// without leaving the page, clocks that run.
const csrf = () => document.querySelector('meta[name="csrf-token"]')?.content ?? "";
const texts = JSON.parse(document.getElementById("texts").textContent);
const deadTime = 700; // a key that was meant for something else decides nothing
const still = new WeakMap(); // card -> when it last appeared or moved

const cards = () => [...document.querySelectorAll("[data-card]")];
const rows = () => [...document.querySelectorAll("[data-card], .inbox-link")].filter((el) => el.checkVisibility());

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
  if (e.key === "Enter" && (e.ctrlKey || e.metaKey) && !e.isComposing && !e.repeat) e.target.closest("[data-sends]")?.form.querySelector("[data-key=a]").click();
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
    box.querySelector("input, select, textarea").focus();
    return;
  }
  const button = card.querySelector(`[data-key="${CSS.escape(e.key)}"]`);
  if (!button || e.key.length !== 1) return;
  e.preventDefault();
  button.click();
});

// Abort asks once, in place.
function confirmed(button) {
  if (button.value !== "abort" || button.dataset.sure) return true;
  const label = button.textContent;
  button.dataset.sure = "yes";
  button.textContent = texts.abortSure;
  setTimeout(() => {
    delete button.dataset.sure;
    button.textContent = label;
  }, 4000);
  return false;
}

// After typing into the arguments, a person no longer means the original ones.
const edited = (form) =>
  form.querySelector("[data-edit][data-draft]") || [...form.querySelectorAll("[data-edit] :is(textarea, input)")].some((f) =>
    f.type === "checkbox" ? f.checked !== f.defaultChecked : f.type !== "hidden" && f.value !== f.defaultValue);

// A decision is the form's own, sent without leaving the page. Edited arguments, and a filled-in
// form, that are refused post as any form does: errors are shown at their fields, on the approval's page.
document.addEventListener("submit", async (e) => {
  const form = e.target.closest("[data-decide]");
  const button = e.submitter;
  if (!form || !button || form.dataset.plain) return;
  e.preventDefault();
  if (form.dataset.busy || !confirmed(button)) return;
  const error = form.querySelector("[data-decide-error]"), inChat = form.closest("[data-stream]"); // the socket may replace it
  const fail = (message) => {
    error.textContent = message;
    error.hidden = false;
    delete form.dataset.busy;
  };
  if (button.value === "approve" && edited(form)) return fail(texts.editedArgs);
  form.dataset.busy = "yes";
  const body = new URLSearchParams(new FormData(form, button));
  try {
    const res = await fetch(form.action, {
      method: "POST", headers: { Accept: "application/problem+json", "X-CSRF-Token": csrf() }, body,
    });
    if (!res.ok) {
      if (res.status === 422 && (button.value.startsWith("edit") || form.querySelector("[data-form]"))) {
        form.dataset.plain = "yes";
        return form.requestSubmit(button);
      }
      const problem = await res.json().catch(() => ({}));
      return fail(problem.detail ?? texts.notDecided);
    }
    const next = res.headers.get("Location");
    if (next) return location.assign(next);
    if (inChat) return;
    if (location.href === form.action) location.replace(form.action.replace(/\/\w+$/, "")); // a refused edit was posted here
    else location.reload();
  } catch {
    fail(texts.noServer);
  }
});

// Forms that came over the socket have no token of their own.
document.addEventListener("submit", (e) => {
  const field = e.target.elements.csrf_token;
  if (field && !field.value) field.value = csrf();
}, true);

// A form that creates something submits once; after ten seconds without an answer, it can again.
document.addEventListener("submit", ({ target }) => {
  if (!target.matches("[data-once]")) return;
  target.inert = setTimeout(() => (target.inert = false), 10000) > 0; // not disabled: the form's data has the button
});

const pad = (n) => String(n).padStart(2, "0");
function clock(ms) {
  const s = Math.max(0, Math.floor(ms / 1000));
  return s >= 3600 ? `${Math.floor(s / 3600)}:${pad(Math.floor(s / 60) % 60)}:${pad(s % 60)}` : `${Math.floor(s / 60)}:${pad(s % 60)}`;
}
function tick() {
  for (const el of document.querySelectorAll("[data-until]")) el.textContent = clock(Date.parse(el.dateTime) - Date.now() + 999);
  for (const el of document.querySelectorAll("[data-ends]")) el.hidden = Date.parse(el.dataset.ends) < Date.now();
  for (const el of document.querySelectorAll("[data-since]")) {
    el.textContent = clock(Date.now() - Date.parse(el.dataset.since));
  }
}
setInterval(tick, 500);
document.addEventListener("fragments", tick);
tick();
