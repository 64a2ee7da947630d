// The prompts of MCP servers, in a dialog over the chat: opened with the button, or out of the menu
// of "/". Without this script they are a page of their own. What a server writes
// goes into the message field and is never sent.
const opener = document.querySelector("[data-prompts]");
const text = document.querySelector("[data-composer] textarea");
const csrf = () => document.querySelector('meta[name="csrf-token"]').content;

// section is the part of the page at /prompts that matters.
async function section(options) {
  const res = await fetch(opener.href, options);
  const page = new DOMParser().parseFromString(await res.text(), "text/html");
  return document.adoptNode(page.querySelector("[data-prompt-list]"));
}

function move(list, by) {
  const rows = [...list.querySelectorAll("summary")];
  const at = rows.indexOf(document.activeElement);
  rows[(at + by + rows.length) % rows.length]?.focus();
}

// insert puts a text behind what is written.
function insert(written) {
  text.value = text.value ? `${text.value}\n\n${written}` : written;
  text.dispatchEvent(new Event("input"));
  text.focus();
}

// fill asks for a prompt and inserts its text.
async function fill(dialog, form) {
  const problem = dialog.querySelector("[data-prompt-problem]");
  const button = form.querySelector("[type=submit]");
  problem.hidden = true;
  button.disabled = true;
  try {
    const body = new URLSearchParams(new FormData(form));
    const answer = await section({ method: "POST", headers: { "X-CSRF-Token": csrf() }, body });
    const written = answer.querySelector("[data-written]");
    if (written) {
      dialog.close();
      return insert(written.value);
    }
    problem.replaceChildren(...(answer.querySelector("[data-problem]")?.childNodes ?? []));
    problem.hidden = false;
  } finally {
    button.disabled = false;
  }
}

// open shows the prompts, and unfolds the one that is named. One that asks for nothing is inserted.
async function open(named) {
  if (opener.hasAttribute("aria-busy") || document.querySelector(".prompts-dialog")) return;
  opener.setAttribute("aria-busy", "true");
  const list = await section().catch(() => null);
  opener.removeAttribute("aria-busy");
  if (!list) return location.assign(opener.href);
  const dialog = document.createElement("dialog");
  dialog.className = "prompts-dialog card";
  dialog.setAttribute("aria-labelledby", "prompts-title");
  dialog.append(list);
  const close = list.querySelector("[data-prompt-close]");
  close.hidden = false;
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => {
    dialog.remove();
    text.setSelectionRange(text.selectionStart, text.selectionEnd); // else Chromium may leave the field without a caret, and take no text
  });
  dialog.addEventListener("submit", (e) => {
    e.preventDefault();
    fill(dialog, e.target).catch(() => e.target.submit());
  });
  dialog.addEventListener("keydown", (e) => {
    e.stopPropagation(); // the keys of the chat rest
    if (!e.target.closest("summary") || !["ArrowDown", "ArrowUp"].includes(e.key)) return;
    e.preventDefault();
    move(list, e.key === "ArrowDown" ? 1 : -1);
  });
  document.body.append(dialog);
  dialog.showModal();
  (list.querySelector("summary") ?? close).focus();
  const wanted = named && [...list.querySelectorAll("form")].find(({ elements }) => elements.server.value === named.server && elements.namedItem("name").value === named.name);
  if (!wanted) return;
  wanted.parentElement.open = true;
  wanted.querySelector(".field") ? wanted.querySelector(".field input").focus() : wanted.requestSubmit();
}

opener?.addEventListener("click", (e) => {
  e.preventDefault();
  open();
});
document.addEventListener("open-prompt", (e) => open(e.detail));
