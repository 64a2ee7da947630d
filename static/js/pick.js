// The dialog in which a model is chosen: it says what each costs, takes, and can. Loaded once it is opened.
const texts = JSON.parse(document.getElementById("texts").textContent);
const find = (api, q) => fetch(api + encodeURIComponent(q)).then((res) => (res.ok ? res.json() : { items: [] })).then((body) => body.items, () => []);
const worded = (key, value) => texts[key].replace("{n}", () => value);

// about says in a line what is known of a model.
const aboutOf = (compact, money) => ({ price, contextWindow, vision, thinking, default: standard }) => [
  standard && texts.modelDefault, price && worded("modelPrice", `${money(price.input / 1e6)} / ${money(price.output / 1e6)}`),
  contextWindow && worded("modelWindow", compact.format(contextWindow)), vision && texts.modelVision, thinking && texts.modelThinking,
].filter(Boolean).join(" · ");

export function open({ field, button, api, compact, money, taken }) {
  const about = aboutOf(compact, money);
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
    const models = await find(api, search.value);
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
    taken(m);
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
