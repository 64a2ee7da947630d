// The model of a chat is chosen in a dialog in place of a plain list; the field below it stays what is sent. What a message takes before it is sent is
// estimated here too, where it matters.
const texts = JSON.parse(document.getElementById("texts").textContent);
const form = document.querySelector("[data-composer]");
const text = form.querySelector("textarea");
const field = document.querySelector("#composer-model, #chat-model");
const api = form.querySelector("[data-attach]").pathname.replace(/documents$/, "api/v1/models?limit=100&q=");
const lang = document.documentElement.lang;
const compact = new Intl.NumberFormat(lang, { notation: "compact", maximumFractionDigits: 1 });
const money = (dollars) => `$${dollars.toFixed(dollars < 0.01 && dollars > 0 ? 4 : 2)}`;

const button = Object.assign(document.createElement("button"), { type: "button", className: "btn model-button", id: "model-button" });
button.setAttribute("aria-haspopup", "dialog");
function label() {
  button.textContent = field.value || texts.chooseModel;
  const head = document.getElementById("head-model"); // on phones
  if (head) head.textContent = field.value;
  button.ariaLabel = `${texts.model}: ${button.textContent}`;
}

if (field) {
  label();
  field.hidden = true;
  field.before(button);
  const taken = (m) => [label(), (model = m), estimate()];
  button.addEventListener("click", () => import("/js/pick.js").then((m) => m.open({ field, button, api, compact, money, taken })).catch(() => [button.remove(), (field.hidden = false), field.focus()]));
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
