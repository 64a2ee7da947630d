// The keys of a chat, and stopping its run.
const texts = JSON.parse(document.getElementById("texts").textContent);
const form = document.querySelector("[data-composer]");
const text = form.querySelector("textarea");
const problem = form.querySelector("[data-problem]");

// What works is stopped at once. A run that waits is stopped on its card, or here where that
// is for others, which ask first; the key that asked does not answer.
function stop() {
  const abort = document.querySelector('[data-card]:not([hidden]) [value="abort"]');
  if (abort) return (document.activeElement === abort ? text : abort).focus();
  const question = document.getElementById("stop-ask");
  if (!question) return document.querySelector("[data-stop]")?.requestSubmit();
  question.open = !question.open;
  (question.open ? question.querySelector("summary") : text).focus();
}

const keys = document.getElementById("chat-keys");
document.addEventListener("keydown", (e) => {
  if (e.isComposing || e.ctrlKey || e.metaKey || e.altKey) return;
  const typing = e.target.closest("input, textarea, select");
  const elsewhere = document.querySelector(".sidebar.open, .menu[open], dialog[open], :popover-open");
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
  text.value = [...document.querySelectorAll("[data-said]")].at(-1)?.textContent ?? "";
  text.dispatchEvent(new Event("input"));
  text.focus();
  text.setSelectionRange(text.value.length, text.value.length);
};
document.addEventListener("click", (e) => e.target.closest("[data-edit-last]") && editLast(e));

const byTouch = matchMedia("(pointer: coarse)").matches;
const beginsLine = (e) => e.shiftKey || (byTouch && !e.ctrlKey && !e.metaKey && !document.documentElement.dataset.keyboard);
text.addEventListener("keydown", (e) => {
  if (e.isComposing || e.keyCode === 229) return; // an input method is at work
  if (e.key === "Enter" && !beginsLine(e)) {
    e.preventDefault();
    form.requestSubmit();
  } else if (e.key === "ArrowUp" && !text.value) {
    editLast(e);
  }
});

document.addEventListener("submit", async (e) => {
  if (!e.target.matches("[data-stop]")) return;
  e.preventDefault();
  const button = e.target.querySelector("button");
  button.disabled = true;
  const res = await fetch(e.target.action, {
    method: "POST", headers: { Accept: "application/problem+json", "X-CSRF-Token": document.querySelector('meta[name="csrf-token"]').content },
  }).catch(() => null);
  if (res?.ok) return text.focus();
  button.disabled = false;
  problem.textContent = texts.notStopped;
  problem.hidden = false;
});
