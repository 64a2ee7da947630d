// The files of a chat: beside it, or on a page of their own. Files are sent one after the
// other, by the button, by dropping them, or by pasting. Without this script the form
// sends one.
const opener = document.querySelector("[data-files-open]");
const panel = document.getElementById("files-panel");
const find = (name) => document.querySelector(`[data-files] [data-${name}]`);
const host = () => document.querySelector("[data-files]");
const csrf = () => document.querySelector('meta[name="csrf-token"]').content;

async function load() {
  const res = await fetch(host()?.dataset.path ?? opener.href);
  if (!res.ok) return null;
  return new DOMParser().parseFromString(await res.text(), "text/html").querySelector("[data-files]");
}

async function refresh() {
  const fresh = await load().catch(() => null);
  if (fresh && host()) find("list").replaceWith(fresh.querySelector("[data-list]"));
}

// show opens the panel beside the chat.
async function show() {
  if (panel && panel.hidden) {
    const fresh = await load().catch(() => null);
    if (!fresh) return location.assign(opener.href);
    panel.querySelector("[data-files]")?.remove();
    panel.append(fresh);
    panel.hidden = false;
    opener.setAttribute("aria-expanded", "true");
    prepare();
  }
}

function hide() {
  panel.hidden = true;
  opener.setAttribute("aria-expanded", "false");
  opener.focus();
}

// prepare makes the form one that sends at once.
function prepare() {
  const form = host()?.querySelector(".files-form");
  if (!form) return;
  const input = form.querySelector("input[type=file]");
  input.multiple = true;
  form.querySelector("button").hidden = true;
  input.addEventListener("change", () => {
    sendAll([...input.files]);
    input.value = "";
  });
}

const problem = (text) => {
  const at = find("problem");
  at.textContent = text;
  at.hidden = !text;
};
const worded = (name, values) => Object.entries(values).reduce((s, [k, v]) => s.replace(`{${k}}`, () => v), host().dataset[name]);

async function sendAll(files) {
  await show();
  if (!find("uploads")) return;
  problem("");
  for (const file of files) {
    if (file.size > Number(host().dataset.most)) problem(worded("tooLarge", { name: file.name }));
    else await send(file);
  }
  await refresh();
}

// send shows how far a file is; it can be cancelled.
function send(file) {
  const row = find("upload-row").content.firstElementChild.cloneNode(true);
  const [name, bar, cancel] = row.children;
  name.textContent = file.name;
  find("uploads").append(row);
  const request = new XMLHttpRequest();
  const body = new FormData();
  body.append("file", file);
  cancel.addEventListener("click", () => request.abort());
  request.upload.addEventListener("progress", (e) => e.lengthComputable && (bar.value = e.loaded / e.total));
  return new Promise((done) => {
    request.addEventListener("load", () => {
      if (request.status === 201) find("said").textContent = worded("done", { name: file.name });
      else problem(worded("failed", { name: file.name, reason: reasonOf(request) }));
    });
    request.addEventListener("error", () => problem(worded("failed", { name: file.name, reason: host().dataset.offline })));
    request.addEventListener("loadend", () => done(row.remove()));
    request.open("POST", host().dataset.api);
    request.setRequestHeader("X-CSRF-Token", csrf());
    request.send(body);
  });
}

function reasonOf(request) {
  try {
    const told = JSON.parse(request.responseText);
    return told.errors?.[0]?.detail ?? told.detail;
  } catch {
    return request.statusText;
  }
}

opener?.addEventListener("click", (e) => {
  if (!panel || !matchMedia("(min-width: 60.01rem)").matches || e.ctrlKey || e.metaKey) return;
  e.preventDefault();
  if (panel.hidden) show();
  else hide();
});
panel?.addEventListener("click", (e) => e.target.closest("[data-files-close]") && hide());
panel?.addEventListener("keydown", (e) => e.key === "Escape" && (e.stopPropagation(), hide()));

const carries = (e) => e.dataTransfer?.types.includes("Files");
addEventListener("dragover", (e) => {
  if (!carries(e)) return;
  e.preventDefault();
  document.body.classList.add("dropping");
});
addEventListener("dragleave", (e) => e.relatedTarget ?? document.body.classList.remove("dropping"));
addEventListener("drop", (e) => {
  document.body.classList.remove("dropping");
  if (!carries(e)) return;
  e.preventDefault();
  sendAll([...e.dataTransfer.files]);
});
addEventListener("paste", (e) => {
  const files = [...(e.clipboardData?.files ?? [])];
  if (!files.length) return;
  e.preventDefault();
  sendAll(files);
});

// A run that begins, waits, or ends may have changed files.
let state = document.getElementById("run-state")?.textContent;
document.addEventListener("fragments", () => {
  const now = document.getElementById("run-state")?.textContent;
  if (now !== state && panel && !panel.hidden) refresh();
  state = now;
});

prepare();
