// The frame of the pages: theme, menu on narrow screens, search key, relative
// times, and the state of things in the tab's title.
const root = document.documentElement;
const texts = JSON.parse(document.getElementById("texts")?.textContent ?? "{}"); // pages without a session have none
const dark = matchMedia("(prefers-color-scheme: dark)");

for (const button of document.querySelectorAll("[data-theme-toggle]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const next = (root.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark" ? "light" : "dark";
    root.dataset.theme = next;
    const home = document.querySelector(".brand").pathname;
    document.cookie = `theme=${next}; path=${home}; max-age=31536000; samesite=lax`;
  });
}

// A page that the browser has kept is shown again to the session that it was made for.
const visit = document.querySelector("meta[name=visit]")?.content;
addEventListener("pageshow", ({ persisted }) => {
  const again = persisted || performance.getEntriesByType("navigation")[0]?.type === "back_forward";
  if (!again || !visit || document.cookie.split("; ").includes(`fusebox_visit=${visit}`)) return;
  document.body.hidden = true;
  location.reload();
});

// Menu: a link to #sidebar opens it without this script; with it, it is a
// button that tells its state, gives the focus back and closes with Escape.
// While it is open, the page behind it takes no focus.
const sidebar = document.getElementById("sidebar");
const opener = document.querySelector("[data-sidebar-open]");
function toggle(open) {
  sidebar.classList.toggle("open", open);
  opener.setAttribute("aria-expanded", open);
  for (const el of document.querySelectorAll(".skip, .topbar, .main")) el.inert = open;
  (open ? sidebar.querySelector("a, button, input") : opener).focus();
}
if (sidebar && opener) {
  opener.setAttribute("aria-expanded", "false");
  opener.setAttribute("aria-controls", "sidebar");
  opener.addEventListener("click", (e) => {
    e.preventDefault();
    toggle(true);
  });
  // In a window that has become wide, it is no longer in front of the page.
  addEventListener("resize", () => sidebar.classList.contains("open") && getComputedStyle(sidebar).position !== "fixed" && toggle(false));
  for (const closer of document.querySelectorAll("[data-sidebar-close]")) {
    closer.addEventListener("click", (e) => {
      e.preventDefault();
      toggle(false);
    });
  }
}

document.addEventListener("keydown", (e) => {
  if (e.key === "Escape" && sidebar?.classList.contains("open")) toggle(false);
  if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "k") {
    const search = document.querySelector("[data-search]");
    if (!search) return;
    e.preventDefault();
    if (opener?.offsetParent) toggle(true);
    search.focus();
    search.select();
  }
});

// A menu closes when something else is wanted.
const menu = () => document.querySelector(".menu[open]");
document.addEventListener("click", (e) => {
  if (menu() && !menu().contains(e.target)) menu().open = false;
});
document.addEventListener("keyup", (e) => {
  if (e.key !== "Escape" || !menu()) return;
  const button = menu().querySelector("summary");
  menu().open = false;
  button.focus();
});

// Times are relative; the title has the exact one.
const words = new Intl.RelativeTimeFormat(root.lang, { numeric: "auto" });
const narrow = new Intl.RelativeTimeFormat(root.lang, { style: "narrow" });
const spans = [["day", 86400], ["hour", 3600], ["minute", 60]];
function ago(iso, style) {
  const s = (Date.parse(iso) - Date.now()) / 1000;
  const [unit, size] = spans.find(([, size]) => Math.abs(s) >= size) ?? ["second", 1];
  if (unit === "second") return texts.justNow;
  if (unit === "day" && (s < -7 * 86400 || s > 60 * 86400)) return new Date(iso).toLocaleDateString(root.lang, style ? { month: "short", day: "numeric" } : { dateStyle: "medium" });
  return (style ? narrow : words).format(Math.round(s / size), unit).replace(/(\d)(?=\p{Script=Han})/gu, "$1 ");
}
function tick() {
  for (const el of document.querySelectorAll("time[data-when]")) {
    const text = ago(el.dateTime, el.dataset.when);
    if (el.textContent !== text) el.textContent = text;
  }
}

// The title shows ● while a run works and (2) for approvals that wait.
const named = document.getElementById("chat-name")?.textContent;
const first = document.title;
function title() {
  const status = document.getElementById("run-state")?.dataset.status;
  const waiting = Number(document.getElementById("pending-count")?.dataset.pending ?? 0);
  document.title = (waiting ? `(${waiting}) ` : "") + (status === "queued" || status === "running" ? "● " : "") + first.replace(named ?? "", () => document.getElementById("chat-name")?.textContent ?? "");
  const dot = document.querySelector(".chat-link[aria-current] .dot");
  if (dot && status !== undefined) {
    dot.className = `dot dot-${status}`;
    dot.hidden = !["queued", "running", "paused"].includes(status);
    if (dot.nextElementSibling) dot.nextElementSibling.hidden = dot.hidden;
  }
}
document.addEventListener("fragments", () => {
  tick();
  title();
});
setInterval(tick, 30000);
tick();
title();

// Browser notifications, where the person wants them: the line that announces
// a new approval to screen readers is shown while the tab is out of sight.
const wanted = () => "Notification" in window && Notification.permission === "granted" && localStorage.getItem("notify") === "on";
let told = null;
document.addEventListener("fragments", () => {
  const said = document.getElementById("live-inbox");
  if (!said || said === told) return;
  told = said;
  if (!wanted() || !document.hidden) return;
  const note = new Notification("Fusebox", { body: said.textContent, tag: "fusebox-inbox" });
  note.onclick = () => {
    focus();
    location.href = said.dataset.path;
  };
});

const bell = document.querySelector("[data-notify]");
function ring() {
  bell.textContent = wanted() ? bell.dataset.off : bell.dataset.on;
  const forbidden = Notification.permission === "denied";
  bell.disabled = forbidden;
  document.getElementById("bell-forbidden").hidden = !forbidden;
}
if (bell && "Notification" in window) {
  bell.hidden = false;
  ring();
  bell.addEventListener("click", async () => {
    const on = !wanted() && (await Notification.requestPermission()) === "granted";
    localStorage.setItem("notify", on ? "on" : "off");
    ring();
  });
}
