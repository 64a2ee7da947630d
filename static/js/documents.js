// The pages of documents look again as long as something is read and nobody is busy there.
const lookEvery = 1500;
const busy = "[data-list] details[open], [data-list] :focus";
let watching;

function watch() {
  clearTimeout(watching);
  if (!document.querySelector("[data-reading]")) return;
  watching = setTimeout(() => (document.hidden || document.querySelector(busy) ? watch() : look()), lookEvery);
}

async function look() {
  const res = await fetch(location.href).catch(() => null);
  if (res?.redirected) return; // signed out
  const fresh = res?.ok && new DOMParser().parseFromString(await res.text(), "text/html").querySelector("[data-list]");
  if (!fresh) return watch();
  // All of a document's page tells of its versions: it is loaded anew, unless somebody types there.
  const whole = !document.querySelector("[data-files], [data-import]") && !fresh.querySelector("[data-reading]");
  if (whole && !document.querySelector(".main details[open]")) return location.reload();
  document.querySelector("[data-list]").replaceWith(fresh);
  document.dispatchEvent(new Event("fragments"));
}

// A folder is opened here; the module of files sends what is in it.
async function filesIn(entry) {
  if (entry.isFile) return [await new Promise((done, failed) => entry.file(done, failed))];
  const files = [];
  const reader = entry.createReader();
  for (let some; (some = await new Promise((done, failed) => reader.readEntries(done, failed))).length; ) for (const e of some) files.push(...(await filesIn(e)));
  return files;
}

addEventListener(
  "drop",
  async (e) => {
    const entries = [...(e.dataTransfer?.items ?? [])].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    if (!document.querySelector("[data-files]") || !entries.some((entry) => entry.isDirectory)) return;
    e.preventDefault();
    e.stopImmediatePropagation();
    document.body.classList.remove("dropping");
    const plain = [...e.dataTransfer.files];
    const files = await Promise.all(entries.map(filesIn)).then((all) => all.flat(), () => plain);
    dispatchEvent(new CustomEvent("dropped-folder", { detail: files }));
  },
  true,
);

// Imports show how much of them is sent.
const form = document.querySelector("[data-import]");
form?.addEventListener("submit", (e) => {
  e.preventDefault();
  const [bar, button, problem] = ["progress", "button", "[data-problem]"].map((what) => form.querySelector(what));
  const request = new XMLHttpRequest();
  const refuse = (why) => {
    problem.textContent = why;
    bar.hidden = true;
    problem.hidden = button.disabled = false;
  };
  bar.hidden = false;
  button.disabled = problem.hidden = true;
  request.responseType = "json";
  request.upload.addEventListener("progress", (e) => e.lengthComputable && (bar.value = e.loaded / e.total));
  request.addEventListener("load", () => {
    const field = request.response?.errors?.[0]?.detail;
    if (request.status === 202) location.reload();
    else refuse(field ? form.dataset.refused.replace("{reason}", () => field) : (request.response?.detail ?? request.statusText));
  });
  request.addEventListener("error", () => refuse(form.dataset.offline));
  request.open("POST", form.dataset.api);
  request.send(new FormData(form));
});

document.addEventListener("fragments", watch);
watch();
