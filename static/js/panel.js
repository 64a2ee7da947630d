// A document beside the chat: opened by a citation, by its address, or by adding a file. It goes along with the
// next messages, so that the agent can read it. Without this script, documents are pages of their own.
const texts = JSON.parse(document.getElementById("texts").textContent);
const panel = document.getElementById("document-panel");
const chip = document.querySelector("[data-document]");
const form = chip.closest("form");
const attach = form.querySelector("[data-attach]");
const [name, body] = [panel.querySelector("h2"), panel.lastElementChild];
const link = chip.querySelector("[data-document-show]");
const say = (text) => Object.assign(form.querySelector("[data-problem]"), { textContent: text, hidden: !text });
const worded = (key, values) => Object.entries(values).reduce((s, [k, v]) => s.replace(`{${k}}`, () => v), attach.dataset[key]);
const isPlace = (a) => a?.origin === location.origin && /^\/(documents|passages)\/\w+$/.test(a.pathname);
const beside = matchMedia("(min-width: 60.01rem)"); // else the panel covers the chat
let again, opener, added; // added is the document that came last, null where it was there before
let turn = 0; // who opens or closes something takes the next: what comes late is nobody's any more

// open has a document, or the passage that an address leads to, at hand, and shows it.
async function open(url, show = true) {
  const shown = await load(url);
  if (shown === false) return location.assign(url); // the page says why
  if (!shown || !show) return;
  panel.hidden = false;
  if (opener) name.focus({ preventScroll: true });
  const passage = panel.querySelector("#passage mark, #passage");
  passage ? passage.scrollIntoView({ block: "center" }) : panel.scrollTo(0, 0);
}

// load fills the panel, and does so again as long as the document is being read. It returns
// false where there is no such document, and null where it was not needed any more.
async function load(url) {
  clearTimeout(again);
  const mine = ++turn;
  const res = await fetch(url).catch(() => null);
  const page = res?.ok && new DOMParser().parseFromString(await res.text(), "text/html");
  if (mine !== turn) return null;
  const part = page && page.querySelector("[data-list]");
  const at = part && new URL(res.url);
  if (!part || !isPlace(at)) return false;
  part.removeAttribute("data-list");
  body.replaceChildren(...page.querySelectorAll("[data-where]"), ...part.childNodes);
  name.textContent = link.textContent = page.querySelector("h1").textContent;
  link.href = panel.querySelector("[data-document-page]").href = at.pathname + at.search;
  set(at.pathname.split("/").pop(), at.search);
  if (body.querySelector("[data-reading]")) look(url, 40);
  return true;
}

const look = (url, tries) => (again = setTimeout(async () => (await load(url)) === false && tries && look(url, tries - 1), 1500));

// set says what goes along with messages, and has a reload show the same.
function set(id, search) {
  chip.querySelector("input").value = id;
  chip.hidden = !id;
  const params = new URLSearchParams(search);
  if (id) params.set("document", id);
  history.replaceState(history.state, "", location.pathname + (params.size ? `?${params}` : ""));
}

function close(letGo) {
  [clearTimeout(again), turn++, (panel.hidden = true)];
  set(letGo ? "" : chip.querySelector("input").value, "");
  (opener?.isConnected ? opener : form.querySelector("textarea")).focus();
  opener = null;
}

// placeOf is where a link leads that is to be opened here: of a citation, the place of its source.
function placeOf(target) {
  const cite = target.closest("a.cite");
  const a = cite ? document.getElementById(cite.hash.slice(1))?.querySelector("a") : target.closest(".sources a, [data-document-show], #document-panel .stack a");
  return isPlace(a) ? a : null;
}

document.addEventListener("click", (e) => {
  if (e.ctrlKey || e.metaKey || e.shiftKey || e.button) return;
  const to = placeOf(e.target);
  if (to) {
    e.preventDefault();
    if (!panel.contains(to)) opener = e.target.closest("a");
    open(to.href);
  } else if (e.target.closest("[data-document-close]")) {
    e.preventDefault();
    close(beside.matches || chip.contains(e.target));
  }
});
panel.addEventListener("keydown", (e) => e.key === "Escape" && (e.stopPropagation(), close(beside.matches)));

async function api(method, url, sent) {
  const res = await fetch(url, { method, body: sent, headers: { "X-CSRF-Token": document.querySelector('meta[name="csrf-token"]').content } });
  const told = await res.json().catch(() => ({}));
  if (!res.ok) throw new Error(told.errors?.[0]?.detail ?? told.detail ?? res.statusText);
  return told;
}

// add puts a file among the documents and returns its id, and whether it was there before.
async function add(file) {
  if (file.size > Number(attach.dataset.most)) throw new Error(worded("tooLarge", { name: file.name }));
  const sent = new FormData();
  sent.append("file", file);
  const made = await api("POST", "/api/v1/documents", sent);
  if (made.duplicateOf) await api("DELETE", `/api/v1/documents/${made.id}`);
  return [made.duplicateOf ?? made.id, !!made.duplicateOf];
}

// addAll adds files; shown says whether each is opened, and tell what goes wrong.
async function addAll(files, { shown = true, tell = say } = {}) {
  const ids = [];
  tell("");
  attach.ariaBusy = true;
  for (const file of files) {
    document.getElementById("live").textContent = worded("adding", { name: file.name });
    try {
      const [id, there] = await add(file);
      ids.push(id);
      if (!shown) continue;
      if ((added = there ? null : id) === null) tell(worded("there", { name: file.name }));
      await open(`/documents/${id}`, beside.matches);
    } catch (err) {
      tell(worded("failed", { name: file.name, reason: err instanceof TypeError ? texts.offline : err.message }));
    }
  }
  attach.ariaBusy = null;
  return ids;
}

document.addEventListener("open-document", (e) => open(`/documents/${e.detail}`, beside.matches));
document.addEventListener("add-documents", async ({ detail }) => detail.then(await addAll(detail.files, detail)));
document.addEventListener("drop-document", () => [close(true), added && api("DELETE", `/api/v1/documents/${added}`).catch(() => null)]);
const picker = Object.assign(document.createElement("input"), { type: "file", multiple: true });
picker.addEventListener("change", () => [addAll([...picker.files]), (picker.value = "")]);
attach.addEventListener("click", (e) => [e.preventDefault(), picker.click()]);

// What is dropped where messages are written goes to the documents, elsewhere to the chat's files.
const carries = (e) => e.dataTransfer?.types.includes("Files");
function takesFiles(where, take) {
  where.addEventListener("dragover", (e) => carries(e) && e.preventDefault());
  where.addEventListener("drop", (e) => {
    if (!carries(e)) return;
    e.preventDefault();
    e.stopPropagation();
    document.body.classList.remove("dropping");
    take([...e.dataTransfer.files]);
  });
}
takesFiles(chip.closest(".composer"), addAll);
document.addEventListener("takes-files", ({ detail }) => takesFiles(detail.where, detail.take));

const at = new URLSearchParams(location.search);
at.delete("document");
if (chip.querySelector("input").value) open(`${link.pathname}?${at}`, beside.matches || at.has("mark"));
