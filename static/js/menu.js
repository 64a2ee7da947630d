// Menus where messages are written: "/" in an empty field offers prompts, agents, and tools, "@"
// documents and agents. The field keeps the focus; arrows choose, Enter takes, Escape leaves.
const texts = JSON.parse(document.getElementById("texts").textContent);
const form = document.querySelector("[data-composer]");
const text = form.querySelector("textarea");
const live = document.getElementById("live");
const api = form.querySelector("[data-attach]").pathname.replace(/documents$/, "api/v1/");
const list = Object.assign(document.createElement("ul"), { id: "composer-menu", role: "listbox", ariaLabel: texts.menu, hidden: true });
list.className = "composer-menu card";
text.before(list);
for (const [name, value] of [["autocomplete", "list"], ["haspopup", "listbox"], ["controls", list.id]]) text.setAttribute(`aria-${name}`, value);

let items = [], at = 0, asked; // asked is what the menu answers: its sign, its words, and where they begin
const known = {};
const get = (path) => fetch(api + path).then((res) => (res.ok ? res.json() : { items: [] })).then((body) => body.items, () => []);
const once = (path) => (known[path] ??= get(path));

// typed is the sign right before the caret with the words behind it, null for none.
function typed() {
  const before = text.value.slice(0, text.selectionEnd);
  const found = /^(\/)(\S{0,40})$/.exec(before) ?? /(?<=^|\s)(@)([^\s@]{0,40})$/.exec(before);
  return found && { sign: found[1], words: found[2].toLowerCase(), from: before.length - found[2].length - 1, to: before.length };
}

// write puts something in the place of what the menu was opened with.
function write(insert) {
  text.setRangeText(insert, asked.from, asked.to, "end");
  close();
  text.dispatchEvent(new Event("input", { bubbles: true }));
  text.focus();
}

const tell = (type, detail) => document.dispatchEvent(new CustomEvent(type, { detail }));

// name has an agent answer: this message, or all of a chat that does not exist yet.
const chip = form.querySelector("[data-agent]");
function name(agent) {
  if (!chip) form.elements.agent.value = agent;
  else [chip.hidden, chip.querySelector("input").value, chip.querySelector("span").textContent] = [!agent, agent, `@${agent}`];
}
chip?.addEventListener("click", (e) => e.target.closest("button") && [name(""), text.focus()]);
document.addEventListener("message-sent", () => chip && name(""));

const agents = () => [...(document.querySelector("select[name=agent]")?.options ?? [])].filter((o) => o.value).map(({ value, label }) => ({
  kind: texts.agent, label: value, about: label.slice(value.length).replace(/^[\s·]+/, ""), take: () => [write(""), name(value)],
}));
const tools = async ({ words }) => (await once("tools")).filter(({ set }) => words || set !== "core").map(({ name: tool, description }) => ({
  kind: texts.tool, label: tool, about: description, take: () => write(texts.useTool.replace("{tool}", () => tool)),
}));
const prompts = async () => (form.querySelector("[data-prompts]") ? await once("mcp/prompts") : []).map(({ server, name: prompt, title, description }) => ({
  kind: texts.prompt, label: title || prompt, about: [server, description].filter(Boolean).join(" · "), take: () => [write(""), tell("open-prompt", { server, name: prompt })],
}));
const documents = async ({ words }) => (await get(`documents?limit=8&search=${encodeURIComponent(words)}`)).map(({ id, name: file }) => ({
  kind: texts.document, label: file, about: "", take: () => [write(""), tell("open-document", id)], found: true,
}));

const fits = (words) => (item) => item.found || `${item.label} ${item.about}`.toLowerCase().includes(words);
const begins = (words) => (a, b) => b.label.toLowerCase().startsWith(words) - a.label.toLowerCase().startsWith(words);

async function offer() {
  const now = typed();
  if (now?.sign === asked?.sign && now?.words === asked?.words && now?.from === asked?.from) return;
  asked = now;
  if (!now) return close();
  if (now.sign === "@") await new Promise((then) => setTimeout(then, 120)); // who types on is not interrupted
  for (const parts of now.sign === "/" ? [[agents, tools], [prompts, agents, tools]] : [[documents, agents]]) {
    if (asked !== now) return;
    const all = (await Promise.all(parts.map((part) => part(now)))).flat().filter(fits(now.words));
    if (asked === now) show((now.words ? all.sort(begins(now.words)) : all).slice(0, 40));
  }
}

function show(found) {
  const before = items[at]?.label;
  items = found;
  list.hidden = !items.length;
  list.replaceChildren(...items.map(({ kind, label, about }, i) => {
    const row = Object.assign(document.createElement("li"), { id: `composer-menu-${i}`, role: "option" });
    row.append(...[["strong", label], ["span", about], ["small", kind]].map(([tag, textContent]) => Object.assign(document.createElement(tag), { textContent })));
    return row;
  }));
  if (!items.length) return text.removeAttribute("aria-activedescendant");
  live.textContent = texts.offers.replace("{count}", items.length);
  move(Math.max(items.findIndex(({ label }) => label === before), 0));
}

function move(to) {
  at = (to + items.length) % items.length;
  [...list.children].forEach((row, i) => (row.ariaSelected = i === at));
  text.setAttribute("aria-activedescendant", list.children[at].id);
  list.children[at].scrollIntoView({ block: "nearest" });
}

function close() {
  list.hidden = true;
  items = [];
  text.removeAttribute("aria-activedescendant");
}

text.addEventListener("input", (e) => !e.isComposing && offer());
text.addEventListener("click", offer);
text.addEventListener("blur", () => setTimeout(() => document.activeElement !== text && close(), 150));
list.addEventListener("mousedown", (e) => e.preventDefault()); // the field keeps the focus
list.addEventListener("click", (e) => {
  const row = e.target.closest("li");
  if (row) items[[...list.children].indexOf(row)].take();
});
form.addEventListener("keydown", (e) => {
  if (list.hidden || e.target !== text || e.isComposing || e.keyCode === 229) return;
  const does = { ArrowDown: () => move(at + 1), ArrowUp: () => move(at - 1), Enter: () => items[at].take(), Tab: () => items[at].take(), Escape: close }[e.key];
  if (!does || e.shiftKey) return;
  e.preventDefault();
  e.stopPropagation(); // it is not the field's, nor the chat's
  does();
}, true);
