// A chat is renamed in the list of chats: with F2, or the button beside the one under the pointer
// or with the focus. Enter keeps what is written, Escape leaves it.
const texts = JSON.parse(document.getElementById("texts").textContent);
const list = () => document.getElementById("chat-list");
const button = Object.assign(document.createElement("button"), { type: "button", tabIndex: -1, className: "btn btn-quiet rename", title: `${texts.rename} (F2)`, textContent: "✎" });
const csrf = () => document.querySelector('meta[name="csrf-token"]').content;

function beside(target) {
  const link = target.closest?.("#chat-list .chat-link");
  if (!link || link.nextElementSibling === button) return;
  button.ariaLabel = `${texts.rename}: ${link.title}`;
  link.after(button);
}

function rename(link) {
  const field = Object.assign(document.createElement("input"), { value: link.title, maxLength: 200, className: "rename-field", ariaLabel: texts.rename });
  const over = async (keeps) => {
    const title = field.value.trim();
    if (!field.isConnected || field.readOnly) return;
    field.readOnly = true;
    if (keeps && title && title !== link.title) await save(link, title);
    const focused = document.activeElement === field;
    link.hidden = false;
    field.remove();
    if (focused) link.focus();
  };
  field.addEventListener("keydown", (e) => {
    e.stopPropagation(); // the keys of the chat rest
    if (e.isComposing || e.keyCode === 229 || !["Enter", "Escape"].includes(e.key)) return;
    e.preventDefault();
    over(e.key === "Enter");
  });
  field.addEventListener("blur", () => over(true));
  button.remove();
  link.hidden = true;
  link.before(field);
  field.select();
}

async function save(link, title) {
  const api = link.pathname.replace(/c\/([^/]+)$/, "api/v1/conversations/$1");
  const headers = { "Content-Type": "application/json", "X-CSRF-Token": csrf() };
  const res = await fetch(api, { method: "PATCH", headers, body: JSON.stringify({ title }) }).catch(() => null);
  const live = document.getElementById("live");
  if (live) live.textContent = res?.ok ? texts.renamed.replace("{title}", () => title) : texts.notChanged;
  if (!res?.ok) return;
  link.title = link.querySelector(".title").textContent = title;
}

for (const how of ["pointerover", "focusin"]) document.addEventListener(how, (e) => beside(e.target));
button.addEventListener("click", () => rename(button.previousElementSibling));
document.addEventListener("keydown", (e) => {
  const link = e.key === "F2" && e.target.closest("#chat-list .chat-link");
  if (!link) return;
  e.preventDefault();
  rename(link);
});
const open = list()?.querySelector(".chat-link[aria-current]");
if (open) beside(open);
