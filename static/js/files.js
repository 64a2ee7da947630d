// The files of a chat and the documents of a person are sent by the button, by dropping, or by
// pasting. Without this script the form sends them.
const opener = document.querySelector("[data-files-open]");
const panel = document.getElementById("files-panel");
const find = (name) => document.querySelector(`[data-files] [data-${name}]`);
const host = () => document.querySelector("[data-files]");
const csrf = () => document.querySelector('meta[name="csrf-token"]').content;
async function load() {
  const res = await fetch(host()?.dataset.path ?? opener?.href ?? location.href).catch(() => null);
  return res?.ok ? new DOMParser().parseFromString(await res.text(), "text/html") : null;
}

async function refresh() {
  const page = await load();
  for (const at of ["[data-list]", "[data-collections]"]) {
    if (page?.querySelector(at)) document.querySelector(at)?.replaceWith(page.querySelector(at));
  }
  if (page) document.dispatchEvent(new Event("fragments"));
}

// show opens the panel beside the chat.
async function show() {
  if (panel && panel.hidden) {
    const fresh = (await load())?.querySelector("[data-files]");
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
  form.querySelector("button").hidden = true;
  form.querySelector("[data-folder]")?.removeAttribute("hidden");
  for (const input of form.querySelectorAll("input[type=file]")) {
    input.multiple = true;
    input.addEventListener("change", () => {
      sendAll([...input.files]);
      input.value = "";
    });
  }
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
  const waiting = [...files];
  const next = async () => {
    for (let file; (file = waiting.shift()); ) {
      if (file.size > Number(host().dataset.most)) problem(worded("tooLarge", { name: file.name }));
      else await send(file);
    }
  };
  await Promise.all(Array.from({ length: Number(host().dataset.parallel ?? 1) }, next));
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
  if (!carries(e) || !(host() || panel)) return;
  e.preventDefault();
  document.body.classList.add("dropping");
});
addEventListener("dragleave", (e) => e.relatedTarget ?? document.body.classList.remove("dropping"));
addEventListener("drop", (e) => {
  document.body.classList.remove("dropping");
  if (!carries(e) || !(host() || panel)) return;
  e.preventDefault();
  sendAll([...e.dataTransfer.files]);
});
addEventListener("dropped-folder", (e) => sendAll(e.detail));
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
