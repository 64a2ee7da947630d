// Changes a message in its place: the form of the page that a link leads to is shown at the message. Loaded
// once somebody wants it.
const texts = JSON.parse(document.getElementById("texts").textContent);
const byTouch = matchMedia("(pointer: coarse)").matches;
const parsed = (text) => new DOMParser().parseFromString(text, "text/html");
let open; // the form, with the link that opened it

const changed = ({ form, document: was, adds }) => !!adds || form.elements.content && (form.elements.content.value !== form.elements.content.defaultValue || documentOf(form) !== was);
const documentOf = (form) => form.elements.document_id.checked && form.elements.document_id.value;

function close() {
  const { form, link } = open;
  form.closest(".changing")?.classList.remove("changing");
  form.remove();
  open = undefined;
  link.focus({ preventScroll: true });
}

// leave closes the form. A text that was changed is asked about once.
function leave() {
  const ask = open.form.querySelector("[data-discard]");
  if (!ask || !changed(open)) return close();
  ask.hidden = false;
  ask.focus(); // not one of its buttons: the key that asked must not answer
}

export async function change(link) {
  if (open?.form.isConnected) {
    if (open.link === link) return focus(open.form);
    if (changed(open)) return leave();
    close();
  }
  const res = await fetch(link.href);
  const form = res.ok && parsed(await res.text()).querySelector(".message-form");
  if (!form) throw new TypeError("no form");
  const message = link.closest(".said, .answer");
  open = { form, link };
  message.append(form);
  if (form.elements.content) {
    form.elements.content.rows = 2;
    message.classList.add("changing");
    open.document = documentOf(form);
    takesDocuments(form);
  }
  form.addEventListener("keydown", keys);
  form.addEventListener("submit", send);
  form.addEventListener("click", (e) => {
    const button = e.target.closest("[data-leave], [data-discarded], [data-keep]");
    if (!button) return;
    e.preventDefault();
    if ("leave" in button.dataset) return leave();
    if ("discarded" in button.dataset) return close();
    button.closest("[data-discard]").hidden = true;
    focus(form);
  });
  form.elements.content?.addEventListener("input", grow);
  focus(form);
}

// Another version takes the messages below its arrows away, and with them a text that was changed: one is asked first.
document.addEventListener("click", (e) => {
  const to = e.target.closest("[data-versions], [data-branch-link]");
  if (!to || !open?.form.isConnected || !changed(open)) return;
  const from = to.closest("#transcript > *"), message = open.form.parentElement;
  if (from && from !== message && from.compareDocumentPosition(message) & Node.DOCUMENT_POSITION_PRECEDING) return;
  e.preventDefault();
  e.stopImmediatePropagation();
  leave();
}, true);

// One document goes with a message: a file that is chosen, or dropped here, becomes one and takes its place.
function takesDocuments(form) {
  const add = form.querySelector("[data-add]");
  const [box, mine] = [form.elements.document_id, open];
  const picker = Object.assign(document.createElement("input"), { type: "file" });
  const goesWith = (id, name) => {
    if (!id) return (mine.adds = false);
    [box.value, box.checked, box.parentElement.hidden] = [id, true, false];
    box.nextElementSibling.textContent = box.closest("[data-about]").dataset.about.replace("{name}", () => name);
    document.getElementById("live").textContent = box.nextElementSibling.textContent;
  };
  const take = ([file]) => file && (mine.adds = new Promise((done) => {
    const detail = { files: [file], shown: false, tell: (text) => tell(form, text), then: ([id]) => done(goesWith(id, file.name)) };
    document.dispatchEvent(new CustomEvent("add-documents", { detail }));
  }));
  add.hidden = false;
  add.addEventListener("click", () => picker.click());
  picker.addEventListener("change", () => [take(picker.files), (picker.value = "")]);
  document.dispatchEvent(new CustomEvent("takes-files", { detail: { where: form, take } }));
}

// tell says in the form what went wrong, "" for nothing.
function tell(form, text) {
  form.querySelector("[role=alert]")?.remove();
  if (text) form.prepend(Object.assign(document.createElement("p"), { className: "field-error", role: "alert", textContent: text }));
}

function grow({ target }) {
  while (target.rows < 20 && target.scrollHeight > target.clientHeight + 2) target.rows += 1;
}

function focus(form) {
  const field = form.elements.content ?? form.querySelector("select, .btn");
  field.focus();
  if (field.matches("textarea")) [grow({ target: field }), field.setSelectionRange(field.value.length, field.value.length)];
  form.scrollIntoView({ block: "nearest" });
}

function keys(e) {
  if (e.key === "Escape" && !e.isComposing) {
    e.stopPropagation(); // it stops no run
    return leave();
  }
  if (e.key !== "Enter" || e.target.name !== "content" || e.isComposing || e.keyCode === 229) return;
  if (e.shiftKey || (byTouch && !e.ctrlKey && !e.metaKey && !document.documentElement.dataset.keyboard)) return;
  e.preventDefault();
  e.currentTarget.requestSubmit();
}

// send sends the form. What was refused is said in it, and the text stays.
async function send(e) {
  e.preventDefault();
  const form = e.currentTarget;
  if (form.ariaBusy) return;
  form.ariaBusy = true;
  if (open.adds && (await open.adds) === false || !form.isConnected) return (form.ariaBusy = null);
  tell(form, "");
  const message = form.parentElement;
  const kept = message.matches(".said") ? message : message.previousElementSibling ?? message;
  const { top } = kept.getBoundingClientRect();
  const held = (res) => ({ id: `m-${new URL(res.url).searchParams.get("from") ?? kept.id.slice(2)}`, top });
  const detail = { url: form.action, options: { method: "POST", body: new URLSearchParams(new FormData(form)) }, held };
  document.dispatchEvent(new CustomEvent("show-branch", { detail }));
  const answer = await detail.done.catch(() => "");
  form.ariaBusy = null;
  if (answer === true) {
    open = undefined;
    form.closest(".changing")?.classList.remove("changing");
    form.remove();
    return byTouch || document.getElementById("composer-text").focus({ preventScroll: true });
  }
  const problem = parsed(answer).querySelector(".form-problem");
  problem ? form.prepend(problem) : tell(form, texts.offline);
  (form.elements.content ?? form.querySelector(".btn")).focus();
}
