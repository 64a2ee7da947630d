// The inbox: rows that are decided together or where they stand. On the
// page of an approval: the sign that its reader is still looking.
const csrf = () => document.querySelector('meta[name="csrf-token"]')?.content ?? "";
const texts = JSON.parse(document.getElementById("texts").textContent);
const boxes = () => [...document.querySelectorAll("[data-pick]")];
const all = document.querySelector("[data-pick-all]");
const selectAll = all?.textContent;

function count() {
  groups();
  const n = boxes().filter((box) => box.checked).length;
  for (const el of document.querySelectorAll("[data-picked]")) el.textContent = texts[el.dataset.picked].replace("{count}", n);
  if (!all) return;
  all.classList.toggle("later", boxes().length === 0);
  all.textContent = n > 0 && n === boxes().length ? texts.selectNone : selectAll;
}

// Rows that ask for the same fold into one, which counts those that are left.
function groups() {
  for (const group of document.querySelectorAll("[data-group]")) {
    const left = group.querySelectorAll(".inbox-row:not(.is-settled)").length;
    group.querySelector("[data-group-count]").textContent = `× ${left}`;
    group.classList.toggle("is-settled", !left);
    const box = group.querySelector("[data-pick-group]"), inside = [...group.querySelectorAll("[data-pick]")];
    if (!box) continue;
    box.parentElement.classList.toggle("later", !inside.length);
    box.checked = inside.length > 0 && inside.every((one) => one.checked);
    box.indeterminate = !box.checked && inside.some((one) => one.checked);
  }
}

all?.addEventListener("click", () => {
  const tick = boxes().some((box) => !box.checked);
  for (const box of boxes()) box.checked = tick;
  count();
});
document.addEventListener("change", (e) => {
  if (e.target.matches("[data-pick-group]")) {
    for (const box of e.target.closest("[data-group]").querySelectorAll("[data-pick]")) box.checked = e.target.checked;
  }
  if (e.target.matches("[data-pick], [data-pick-group]")) count();
});
document.addEventListener("fragments", count);
addEventListener("pageshow", count); // a browser that comes back keeps the ticks

// A box that was clicked hands the focus on to its row, where the keys work.
document.addEventListener("click", (e) => {
  if (e.detail && e.target.matches("[data-pick], [data-pick-group]")) e.target.closest("li").querySelector(".inbox-link").focus({ preventScroll: true });
});

const dialog = document.getElementById("keys");
document.querySelector("[data-show-keys]")?.classList.remove("later");

document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || e.repeat || dialog.open) return;
  if (e.target.closest("input:not([type=checkbox]), textarea, select")) return;
  if (e.key === "x") {
    e.target.closest(".inbox-row, [data-group]")?.querySelector("[data-pick], [data-pick-group]")?.click();
  } else if (e.key === "n" || e.key === "p") {
    document.querySelector(`[data-go="${e.key}"]`)?.click();
  } else if ((e.key === "a" || e.key === "r") && performance.now() - arrived > deadTime) {
    e.target.closest(".inbox-row")?.querySelector(`[data-row-key="${e.key}"]`)?.click();
  }
});

// A key that comes right after a row got the focus was meant for the one before.
const deadTime = 700;
let arrived = 0;
document.addEventListener("focusin", (e) => e.target.closest(".inbox-row") && (arrived = performance.now()));

// A row that is decided in its place stays there; the focus goes on to the next that
// waits. What became of it is told by the socket.
document.addEventListener("submit", async (e) => {
  const form = e.target.closest("[data-one]");
  if (!form || !e.submitter || !document.getElementById("inbox")) return;
  e.preventDefault();
  const row = e.submitter.closest(".inbox-row");
  if (row.dataset.busy) return;
  row.dataset.busy = "yes";
  const res = await fetch(form.action, {
    method: "POST", headers: { Accept: "application/problem+json", "X-CSRF-Token": csrf() }, body: new URLSearchParams(new FormData(form, e.submitter)),
  }).catch(() => null);
  delete row.dataset.busy;
  if (res?.ok) return nextRow(row)?.focus();
  const problem = document.createElement("p");
  problem.className = "field-error";
  problem.role = "alert";
  problem.textContent = res ? (await res.json().catch(() => ({}))).detail ?? texts.notDecided : texts.noServer;
  row.querySelector(".field-error")?.remove();
  row.append(problem);
});
function nextRow(row) {
  const rows = [...document.querySelectorAll(".inbox-row:not(.is-settled) > .inbox-link, [data-group]:not(.is-settled) > details:not([open]) > summary")]
    .filter((r) => r.checkVisibility() && !r.closest(".inbox-others") && r.parentElement.id !== row.id);
  const shown = document.getElementById(row.id); // the socket may have put another in its place
  return rows.find((r) => shown.compareDocumentPosition(r) & Node.DOCUMENT_POSITION_FOLLOWING) ?? rows[0];
}

// What was decided on the page before is told, and the card that is asked takes its keys.
const say = document.querySelector("[data-say]");
if (say) setTimeout(() => document.getElementById("live").append(say.innerText), 300);
// After the last card, what can be done next takes the focus.
const next = document.querySelector("[data-card]") ?? (say && (document.querySelector(".inbox-link:not(.is-settled *, .inbox-others *)") ?? say.querySelector("a")));
if (!location.hash) next?.focus({ preventScroll: true });

// While a person has a card in front of them that they may decide, and the page
// is visible, the page says so. It says at once that the arguments were opened.
const page = /^.*\/approvals\/[^/]+/.exec(location.pathname)?.[0];
let opened = false;
let timer = 0;
async function look() {
  if (!document.querySelector("[data-card]")) return clearInterval(timer);
  if (document.visibilityState !== "visible") return;
  const body = new URLSearchParams({ csrf_token: csrf(), opened });
  const res = await fetch(`${page}/look`, { method: "POST", body }).catch(() => null);
  if (res && !res.ok) clearInterval(timer);
}
if (page && document.querySelector("[data-card]")) {
  timer = setInterval(look, 15000);
  document.addEventListener("visibilitychange", look);
  document.addEventListener("toggle", (e) => {
    if (opened || !e.target.open || !e.target.matches("[data-card] :is([data-edit], [data-args])")) return;
    opened = true;
    look();
  }, true);
}
count();
