// Keys of every page: the dialog that tells them, the list of chats, which takes one Tab
// stop and is walked through with the arrow keys, and whether there are keys at all.

// Who touches the screen may have a keyboard beside it. One on the screen has none of these
// keys, and takes room while somebody types.
const beside = ["Tab", "Escape", "Shift", "Control", "Alt", "Meta"];
const roomy = () => matchMedia("(any-pointer: fine)").matches && visualViewport.height * visualViewport.scale > innerHeight - 150;
document.addEventListener("keydown", (e) => {
  if ((e.code && beside.includes(e.key)) || roomy()) document.documentElement.dataset.keyboard = "beside";
}, true);

const help = document.getElementById("keys");

document.querySelector("[data-show-keys]")?.addEventListener("click", () => help.showModal());
document.addEventListener("keydown", (e) => {
  if (e.key !== "?" || !help || help.open || e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
  if (e.target.closest("input:not([type=checkbox], [type=radio]), textarea, select")) return;
  e.preventDefault();
  help.showModal();
});

const list = document.getElementById("chat-list");
const chats = [...(list?.querySelectorAll(".chat-link") ?? [])];

// reach makes a chat the one that Tab comes to.
function reach(chat) {
  for (const other of chats) other.tabIndex = other === chat ? 0 : -1;
}
list?.addEventListener("focusin", (e) => chats.includes(e.target) && reach(e.target));
list?.addEventListener("keydown", (e) => {
  const at = chats.indexOf(e.target);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: chats.length - 1 }[e.key];
  if (at < 0 || to === undefined || e.ctrlKey || e.metaKey || e.altKey) return;
  e.preventDefault();
  chats[to]?.focus();
});
if (chats.length) reach(chats.find((chat) => chat.ariaCurrent) ?? chats[0]);
