// What few readers of a chat want is loaded once it is asked for: to find words, to read aloud and dictate,
// and to change messages.
const host = document.querySelector(".chat[data-leaf]");
const find = () => import("/js/find.js").then((m) => m.open());
const tell = () => document.getElementById("live").append(Object.assign(document.createElement("p"), { textContent: JSON.parse(document.getElementById("texts").textContent).offline }));

const dictate = document.querySelector("[data-dictate]");
if (dictate) dictate.hidden = !(window.SpeechRecognition ?? window.webkitSpeechRecognition);

// Without its script, a link that changes a message leads to a page that does.
document.addEventListener("click", (e) => {
  const el = e.target.closest("[data-change], [data-aloud], [data-dictate], [data-find-open]");
  if (!el || e.ctrlKey || e.metaKey || e.shiftKey) return;
  if ("change" in el.dataset) {
    if (!host) return;
    e.preventDefault();
    import("/js/change.js").then((m) => m.change(el)).catch(() => (location.href = el.href));
  } else if ("findOpen" in el.dataset) {
    el.closest("details").open = false;
    find().catch(tell);
  } else {
    import("/js/voice.js").then((m) => ("aloud" in el.dataset ? m.aloud(el) : m.hear())).catch(tell);
  }
});

addEventListener("keydown", (e) => {
  if (e.key.toLowerCase() !== "f" || !(e.ctrlKey || e.metaKey) || !e.shiftKey || !document.querySelector("[data-find]")) return;
  e.preventDefault();
  e.stopImmediatePropagation();
  find().catch(tell);
}, true);
