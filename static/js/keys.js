// Keys of every page: the dialog that tells them, the list of chats, which takes one Tab
// stop and is walked through with the arrow keys, and whether there are keys at all.

// Who touches the screen may have a keyboard beside it. One on the screen has none of these
// keys, and takes room while somebody types.
const beside = ["Tab", "Escape", "Shift", "Control", "Alt", "Meta"];
const roomy = () => matchMedia("(any-pointer: fine)").matches && visualViewport.height * visualViewport.scale > innerHeight - 150;
document.addEventListener("keydown", (e) => {
  if ((e.code && beside.includes(e.key)) || roomy()) document.documentElement.dataset.keyboard = "beside";
}, true);

// The bar at the bottom covers nothing that has the focus, however high it grows: the sheet
// of styles is told its height.
const bar = document.querySelector(".dock, .bulk, .numbers-save");
const measured = new CSSStyleSheet();
document.adoptedStyleSheets.push(measured);
if (bar) new ResizeObserver(() => measured.replaceSync(`:root { --dock: ${bar.offsetHeight}px }`)).observe(bar);

const help = document.getElementById("keys");

document.querySelector("[data-show-keys]")?.addEventListener("click", () => help.showModal());
document.addEventListener("keydown", (e) => {
  if (e.key !== "?" || !help || help.open || e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
  if (e.target.closest("input:not([type=checkbox], [type=radio]), textarea, select")) return;
  e.preventDefault();
  help.showModal();
});

const list = document.getElementById("chat-list");
const chats = () => [...(list?.querySelectorAll(".chat-link") ?? [])];

// reach makes a chat the one that Tab comes to.
function reach(chat) {
  for (const other of chats()) other.tabIndex = other === chat ? 0 : -1;
}
const opened = () => chats().find((chat) => chat.ariaCurrent);
list?.addEventListener("focusin", (e) => e.target.matches(".chat-link") && reach(e.target));
list?.addEventListener("keydown", (e) => {
  const all = chats();
  const at = all.indexOf(e.target);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[e.key];
  if (at < 0 || to === undefined || e.ctrlKey || e.metaKey || e.altKey) return;
  e.preventDefault();
  all[to]?.focus();
});
reach(opened() ?? chats()[0]);

// The open chat is in view, and further ones come without leaving the page.
const at = opened();
const below = at ? at.getBoundingClientRect().bottom - list.getBoundingClientRect().bottom : 0;
if (below > 0) list.scrollTop += below + list.clientHeight / 2;
list?.addEventListener("click", async (e) => {
  const more = e.target.closest("[data-more]");
  if (!more || e.ctrlKey || e.metaKey || e.shiftKey) return;
  e.preventDefault();
  const known = chats().length;
  try {
    const html = await (await fetch(more.href)).text();
    const next = new DOMParser().parseFromString(html, "text/html").getElementById("chat-list");
    list.replaceChildren(...next.children);
    document.dispatchEvent(new Event("fragments"));
    reach(chats()[known]);
    chats()[known].focus();
  } catch {
    location.href = more.href; // it says what is wrong
  }
});
