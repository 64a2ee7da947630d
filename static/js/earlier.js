// Loads earlier messages of a chat when the reader comes to its top, or follows the
// link there, and brings them back to where they were after a reload.
const scroller = document.scrollingElement;
const transcript = document.getElementById("transcript");
const link = () => document.querySelector(".earlier a");
const ahead = 600; // pixels above the window at which the next page is loaded
let loading;

// inPlace keeps what the reader looks at where it is while something grows above it.
function inPlace(change) {
  const kept = [...transcript.children].find((el) => el.getBoundingClientRect().bottom > 0);
  const top = kept?.getBoundingClientRect().top;
  document.documentElement.classList.add("prepending"); // the browser must not do it as well
  change();
  if (kept) scroller.scrollTop += kept.getBoundingClientRect().top - top;
  requestAnimationFrame(() => document.documentElement.classList.remove("prepending"));
}

function prepend(page) {
  const old = link().closest(".earlier");
  const focused = old.contains(document.activeElement);
  const older = page.querySelector(".earlier");
  const items = [...page.getElementById("transcript").children].filter((el) => !el.id || !document.getElementById(el.id));
  inPlace(() => {
    transcript.prepend(...items);
    if (older) old.replaceWith(older);
    else old.remove();
  });
  if (focused) (link() ?? transcript).focus({ preventScroll: true });
  watch();
  document.dispatchEvent(new CustomEvent("fragments"));
}

// load adds the page of messages before those that are shown.
async function load() {
  const answer = await fetch(link().href);
  if (!answer.ok || answer.redirected) throw new Error(`status ${answer.status}`);
  prepend(new DOMParser().parseFromString(await answer.text(), "text/html"));
}

const more = () => (loading ??= load().finally(() => (loading = undefined)));

const watcher = new IntersectionObserver(
  (seen) => {
    if (seen.some((s) => s.isIntersecting && s.target.isConnected)) more().catch(() => {}); // the link is still there
  },
  { rootMargin: `${ahead}px 0px 0px 0px` },
);

function watch() {
  watcher.disconnect();
  if (link()) watcher.observe(link().closest(".earlier"));
}

document.addEventListener("click", (e) => {
  const a = e.target.closest(".earlier a");
  if (!a || e.ctrlKey || e.metaKey || e.shiftKey) return;
  e.preventDefault();
  more().catch(() => (location.href = a.href));
});

// Who looks for a message has pages loaded until it is there; who names none, one.
document.addEventListener("bring", ({ detail }) => {
  detail.come = (async () => {
    do if (link()) await more();
    while (detail.id && link() && !document.getElementById(detail.id));
  })().catch(() => {});
});

// The place of the reader is that of the first message in the window.
const key = `place ${location.pathname}${location.search}`;
addEventListener("pagehide", () => {
  const first = [...transcript.children].find((el) => el.id && el.getBoundingClientRect().bottom > 0);
  const atEnd = scroller.scrollHeight - scroller.scrollTop - innerHeight < 90;
  if (atEnd || !first) sessionStorage.removeItem(key);
  else sessionStorage.setItem(key, JSON.stringify({ id: first.id, top: first.getBoundingClientRect().top }));
});

async function restore() {
  const came = performance.getEntriesByType("navigation")[0]?.type;
  const place = JSON.parse(sessionStorage.getItem(key) ?? "null");
  if (!place || (came !== "reload" && came !== "back_forward")) return;
  history.scrollRestoration = "manual";
  while (!document.getElementById(place.id) && link()) await more();
  const first = document.getElementById(place.id);
  if (first) scroller.scrollTop += first.getBoundingClientRect().top - place.top;
}

if (transcript) {
  transcript.tabIndex = -1;
  const found = new URLSearchParams(location.search).get("message");
  if (found && !location.hash) document.getElementById(`m-${found}`)?.scrollIntoView({ block: "center" });
  restore().catch(() => {}).finally(watch);
}
