// The model of a chat is chosen in a dialog that says what each costs, takes, and can, in place of
// a plain list; the field below it stays what is sent. What a message takes before it is sent is
// estimated here too, where it matters.
const texts = JSON.parse(document.getElementById("texts").textContent);
const form = document.querySelector("[data-composer]");
const text = form.querySelector("textarea");
const field = document.querySelector("#composer-model, #chat-model");
const api = form.querySelector("[data-attach]").pathname.replace(/documents$/, "api/v1/models?limit=100&q=");
const lang = document.documentElement.lang;
const compact = new Intl.NumberFormat(lang, { notation: "compact", maximumFractionDigits: 1 });
const money = (dollars) => `$${dollars.toFixed(dollars < 0.01 && dollars > 0 ? 4 : 2)}`;
const find = (q) => fetch(api + encodeURIComponent(q)).then((res) => (res.ok ? res.json() : { items: [] })).then((body) => body.items, () => []);
const worded = (key, value) => texts[key].replace("{n}", () => value);

// about says in a line what is known of a model.
const about = ({ price, contextWindow, vision, thinking, default: standard }) => [
  standard && texts.modelDefault, price && worded("modelPrice", `${money(price.input / 1e6)} / ${money(price.output / 1e6)}`),
  contextWindow && worded("modelWindow", compact.format(contextWindow)), vision && texts.modelVision, thinking && texts.modelThinking,
].filter(Boolean).join(" · ");

const button = Object.assign(document.createElement("button"), { type: "button", className: "btn model-button", id: "model-button" });
button.setAttribute("aria-haspopup", "dialog");
function label() {
  button.textContent = field.value || texts.chooseModel;
  const head = document.getElementById("head-model"); // on phones
  if (head) head.textContent = field.value;
  button.ariaLabel = `${texts.model}: ${button.textContent}`;
}

function open() {
  const dialog = Object.assign(document.createElement("dialog"), { className: "models-dialog card", ariaLabel: texts.chooseModel });
  const search = Object.assign(document.createElement("input"), { type: "search", placeholder: texts.findModel, ariaLabel: texts.findModel, autocomplete: "off", role: "combobox" });
  const list = Object.assign(document.createElement("ul"), { id: "models-list", role: "listbox", ariaLabel: texts.chooseModel });
  const close = Object.assign(document.createElement("button"), { type: "button", className: "btn", textContent: texts.cancel });
  for (const [name, value] of [["controls", list.id], ["expanded", "true"], ["autocomplete", "list"]]) search.setAttribute(`aria-${name}`, value);
  let found = [], at = 0, turn = 0;
  const move = (to) => {
    at = Math.min(Math.max(to, 0), found.length - 1);
    [...list.children].forEach((row, i) => (row.ariaSelected = i === at));
    search.setAttribute("aria-activedescendant", list.children[at]?.id ?? "");
    list.children[at]?.scrollIntoView({ block: "nearest" });
  };
  const look = async () => {
    const mine = ++turn;
    const models = await find(search.value);
    if (mine !== turn) return;
    found = models;
    list.replaceChildren(...found.map((m, i) => {
      const row = Object.assign(document.createElement("li"), { id: `model-${i}`, role: "option" });
      row.append(...[["strong", m.id], ["small", about(m)]].map(([tag, textContent]) => Object.assign(document.createElement(tag), { textContent })));
      return row;
    }));
    move(Math.max(found.findIndex(({ id }) => id === field.value), 0));
  };
  const take = (m) => {
    dialog.close();
    if (!m || m.id === field.value) return;
    field.value = m.id;
    field.dispatchEvent(new Event("change", { bubbles: true }));
    label();
    model = m;
    estimate();
  };
  search.addEventListener("input", look);
  dialog.addEventListener("keydown", (e) => {
    e.stopPropagation(); // the keys of the chat rest
    if (e.isComposing || e.keyCode === 229 || e.target !== search) return;
    const does = { ArrowDown: () => move(at + 1), ArrowUp: () => move(at - 1), Enter: () => take(found[at]) }[e.key];
    if (does) [e.preventDefault(), does()];
  });
  list.addEventListener("click", (e) => e.target.closest("li") && take(found[[...list.children].indexOf(e.target.closest("li"))]));
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => [dialog.remove(), button.focus()]);
  dialog.append(search, list, close);
  document.body.append(dialog);
  dialog.showModal();
  look();
}

if (field) {
  label();
  field.hidden = true;
  field.before(button);
  button.addEventListener("click", open);
  field.addEventListener("change", label);
}

// What a message takes: without a tokenizer, a token for four bytes, or for one character of Chinese,
// Japanese, and Korean, on top of what the chat has taken so far.
const line = form.querySelector("[data-estimate]");
const wide = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]/g;
const tokens = (written) => {
  const signs = written.match(wide)?.length ?? 0;
  return signs + (new Blob([written]).size - 3 * signs) / 4;
};
const half = 0.5, dear = 0.05; // of the window, in dollars
let model = { contextWindow: Number(line.dataset.window), price: { input: Number(line.dataset.price) } };

function estimate() {
  const sum = tokens(text.value) + Number(document.getElementById("run-state")?.dataset.context ?? 0);
  const cost = model.price ? (sum * model.price.input) / 1e12 : 0;
  line.hidden = !text.value || !(model.contextWindow && sum > half * model.contextWindow) && cost < dear;
  if (line.hidden) return;
  line.textContent = texts.estimate.replace("{tokens}", () => compact.format(sum)) + (model.contextWindow ? ` (${Math.round((100 * sum) / model.contextWindow)}%)` : "") + (cost ? `, ${money(cost)}` : "");
}
let later;
text.addEventListener("input", () => [clearTimeout(later), (later = setTimeout(estimate, 300))]);
