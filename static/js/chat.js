// A chat around its message field: its keys, its model and approvals, and stopping its run.
const texts = JSON.parse(document.getElementById("texts").textContent);
const form = document.querySelector("[data-composer]");
const text = form.querySelector("textarea");
const problem = form.querySelector("[data-problem]");
const say = (message) => Object.assign(problem, { textContent: message, hidden: !message });
const send = (method, url, body) => fetch(url, {
  method, body, headers: { Accept: "application/problem+json", "Content-Type": "application/json", "X-CSRF-Token": document.querySelector('meta[name="csrf-token"]').content },
}).catch(() => null);

// What works is stopped at once. A run that waits is stopped on its card, or here where that
// is for others, which ask first; the key that asked does not answer.
function stop() {
  const question = document.getElementById("stop-ask");
  const abort = !question && document.querySelector('#transcript > [data-card]:not([hidden]) [value="abort"]');
  if (abort) return (document.activeElement === abort ? text : abort).focus();
  if (!question) return document.querySelector("[data-stop]")?.requestSubmit();
  question.open = !question.open;
  (question.open ? question.querySelector("summary") : text).focus();
}

// What the chosen workflow asks for is shown, and sent.
addEventListener("change", ({ target }) => {
  if (target.name === "agent") for (const of of target.form.querySelectorAll("[data-inputs]")) of.hidden = of.disabled = of.dataset.inputs !== target.value;
});

const keys = document.getElementById("chat-keys");
document.addEventListener("keydown", (e) => {
  if (e.isComposing || e.ctrlKey || e.metaKey || e.altKey) return;
  const typing = e.target.closest("input, textarea, select");
  const elsewhere = document.querySelector(".sidebar.open, .menu[open], dialog[open], :popover-open, .find:not([hidden])");
  if (e.key === "Escape" && !elsewhere && (!typing || typing === text)) stop();
  if (typing) return;
  if (e.key === "/") {
    e.preventDefault();
    text.focus();
  } else if (e.key === "?") {
    keys.togglePopover();
  }
});

const editLast = (e) => {
  e.preventDefault();
  [...document.querySelectorAll('#transcript > .said a[data-change$="edit"]')].at(-1)?.click();
};
document.addEventListener("click", (e) => e.target.closest("[data-edit-last]") && editLast(e));

text.addEventListener("keydown", (e) => e.key === "ArrowUp" && !text.value && !e.isComposing && editLast(e));

// The model and the approvals of the chat are stored as soon as they are chosen.
const choices = document.getElementById("chat-choices");
document.addEventListener("change", async (e) => {
  const field = e.target;
  if (!choices || field.form !== choices) return;
  const res = await send("PATCH", choices.dataset.api, JSON.stringify({ [field.name === "mode" ? "approvalMode" : field.name]: field.value }));
  if (!res?.ok) return say(texts.notChanged);
  say("");
  document.getElementById("live").textContent = texts.changed.replace("{choice}", () => field.selectedOptions?.[0].textContent ?? field.value);
});

document.addEventListener("submit", async (e) => {
  if (!e.target.matches("[data-stop]")) return;
  e.preventDefault();
  const button = e.target.querySelector("button");
  button.disabled = true;
  const res = await send("POST", e.target.action);
  if (res?.ok) return text.focus();
  button.disabled = false;
  say(texts.notStopped);
});

// Enter that ends a word of an input method does nothing else, in whatever field.
document.addEventListener("keydown", (e) => e.key === "Enter" && (e.isComposing || e.keyCode === 229) && e.stopPropagation(), true);

// A draft is the same in all tabs of a chat: what another one has sent or written is taken over
// where nothing else is written.
addEventListener("storage", (e) => {
  if (e.key !== `draft:${form.dataset.draft}` || text.value !== (e.oldValue ?? "") || document.activeElement === text && document.hasFocus()) return;
  text.value = e.newValue ?? "";
  text.rows = 1;
});

// A long paste becomes a document that goes along with the message, as long as none does yet.
const pasted = form.querySelector("[data-pasted]");
const isLong = (s) => s.length > 4000 || s.split("\n").length > 80;
let long; // what was pasted last
text.addEventListener("paste", (e) => {
  const said = e.clipboardData?.getData("text/plain") ?? "";
  if (!isLong(said) || e.clipboardData.files.length || form.elements.document_id.value) return;
  e.preventDefault();
  long = said;
  const name = `${pasted.dataset.name} ${new Date().toLocaleString("sv").replaceAll(":", "-")}.txt`;
  document.dispatchEvent(new CustomEvent("add-documents", { detail: { files: [new File([said], name, { type: "text/plain" })], then: (ids) => (ids.length ? (pasted.hidden = false) : asText()) } }));
});
function asText() {
  pasted.hidden = true;
  text.setRangeText(long, text.selectionStart, text.selectionEnd, "end");
  text.dispatchEvent(new Event("input", { bubbles: true }));
  text.focus();
}
pasted.querySelector("button").addEventListener("click", () => [document.dispatchEvent(new Event("drop-document")), asText()]);
document.addEventListener("message-sent", () => (pasted.hidden = true));
