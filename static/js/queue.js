// What waits above the message field: its buttons are forms that are sent without leaving the
// page, and the socket brings the list as it is then.
const texts = JSON.parse(document.getElementById("texts").textContent);
const form = document.querySelector("[data-composer]");
const problem = form.querySelector("[data-problem]");
const say = (message) => Object.assign(problem, { textContent: message, hidden: !message });
const csrf = () => document.querySelector('meta[name="csrf-token"]').content;

document.addEventListener("submit", async (e) => {
  const of = e.target;
  if (!of.matches("[data-queue]")) return;
  e.preventDefault();
  if (of.dataset.busy) return;
  of.dataset.busy = "yes";
  const body = new URLSearchParams(new FormData(of, e.submitter));
  const res = await fetch(of.action, { method: "POST", redirect: "manual", headers: { Accept: "application/problem+json", "X-CSRF-Token": csrf() }, body }).catch(() => null);
  delete of.dataset.busy;
  const done = res?.type === "opaqueredirect";
  say(done ? "" : (await res?.json().catch(() => null))?.detail ?? texts.offline);
  if (done && e.submitter.value === "edit") of.closest("details").open = false;
  if (done && ["remove", "steer", "resume"].includes(e.submitter.value)) form.querySelector("textarea").focus();
});

// A long message comes whole once it is to be edited.
document.addEventListener("toggle", async (e) => {
  const box = e.target;
  const text = box.open && box.matches("[data-cut]") && box.querySelector("textarea");
  if (!text?.readOnly) return;
  const { items } = await fetch(form.dataset.api.replace(/messages$/, "queue")).then((res) => res.json()).catch(() => ({ items: [] }));
  const whole = items.find((it) => it.id === box.dataset.queued);
  if (whole) [text.value, text.readOnly] = [whole.content, false];
}, true);
