// Keeps every element with data-stream live: opens its websocket, applies the
// fragments that the server renders, and comes back with the last seq after a
// cut, so that nothing is lost and nothing is applied twice.
const touched = new Map(); // id of a <details> that the reader opened or closed

document.addEventListener("click", (e) => {
  const box = e.target.closest("summary")?.parentElement;
  if (box?.id && !box.matches(".confirm")) setTimeout(() => touched.set(box.id, box.open));
});

const byId = (id) => document.getElementById(id);
const scroller = document.scrollingElement;
const pill = byId("new-pill");
const atBottom = () => scroller.scrollHeight - scroller.scrollTop - innerHeight < 90;

// put replaces an element by another and keeps what the reader did:
// open folds, typed text, focus.
function put(old, fresh) {
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  for (const field of old.querySelectorAll("textarea[id], input[id]:not([type=hidden])")) {
    const twin = fresh.querySelector(`#${CSS.escape(field.id)}`);
    if (!twin) continue;
    if (field.type === "checkbox") twin.checked = field.checked && twin.value === field.value; // what was ticked is what is shown
    else if (field.type === "radio") twin.checked = field.checked && twin.value === field.value || twin.checked;
    else if (field.value !== field.defaultValue) twin.value = field.value;
  }
  for (const menu of old.querySelectorAll(":is(.menu, .confirm)[id]")) { // these also close by themselves
    const twin = fresh.querySelector(`#${CSS.escape(menu.id)}`);
    if (twin) twin.open = menu.open;
  }
  const told = old.querySelector(":popover-open")?.id;
  old.replaceWith(fresh);
  if (told) byId(told)?.showPopover();
  if (focused) (byId(focused.id) ?? (fresh.tabIndex === -1 || fresh.tabIndex === 0 ? fresh : null))?.focus({ preventScroll: true });
}

function element(html) {
  const t = document.createElement("template");
  t.innerHTML = html;
  const el = t.content.firstElementChild;
  for (const box of el?.querySelectorAll("details[id]") ?? []) {
    if (touched.has(box.id)) box.open = touched.get(box.id);
  }
  return el;
}

// onItsWay is the message that was shown before it was taken: the stored one takes its place.
const onItsWay = (el) => el.matches(".said") &&
  [...document.querySelectorAll(".sending")].find((pale) => pale.firstElementChild.textContent === el.querySelector(".said-text").textContent);

const ops = {
  append({ target, html }) {
    const el = element(html);
    if (!el) return;
    const old = byId(el.id) ?? onItsWay(el);
    const into = byId(target);
    if (old) put(old, el);
    else into?.insertBefore(el, into.querySelector(":scope > .sending"));
  },
  replace({ target, html }) {
    const old = byId(target);
    if (old) put(old, element(html));
  },
  remove: ({ target }) => byId(target)?.remove(),
  join: ({ target, html }) => byId(html) && byId(target)?.remove(),
  text({ target, html }) {
    const el = byId(target);
    if (!el) return;
    const down = el.scrollHeight - el.scrollTop - el.clientHeight < 40;
    el.append(html);
    el.normalize();
    if (down) el.scrollTop = el.scrollHeight;
  },
};

// toEnd shows what is newest. A card that asks is read from its top.
function toEnd() {
  scroller.scrollTop = scroller.scrollHeight;
  const card = document.querySelector("#transcript > [data-card]:not([hidden])");
  const bars = [...document.querySelectorAll(".topbar, .chat-head")].filter((bar) => getComputedStyle(bar).position === "sticky");
  const head = Math.max(0, ...bars.map((bar) => bar.getBoundingClientRect().bottom));
  const above = card ? head + 12 - card.getBoundingClientRect().top : 0;
  if (above > 0) scroller.scrollTop -= above;
}

function apply(fragments, host) {
  const stick = atBottom();
  for (const f of fragments) ops[f.op]?.(f);
  if (host.contains(byId("transcript"))) follow(stick, fragments);
  document.dispatchEvent(new CustomEvent("fragments", { detail: fragments }));
}

// follow stays at the end of the transcript.
function follow(stick, fragments) {
  if (stick) toEnd();
  else if (pill && fragments.some((f) => f.target === "transcript" || f.target.startsWith("m-") && !byId(f.target)?.closest(".child"))) pill.hidden = false;
}

function connect(host) {
  let seq = Number(host.dataset.seq ?? 0);
  let tries = 0;
  let timer = 0;
  let socket;
  const bar = byId("reconnecting");
  const open = () => {
    clearTimeout(timer);
    const url = new URL(host.dataset.stream, location.href);
    url.protocol = url.protocol.replace("http", "ws");
    if (host.dataset.seq !== undefined) url.searchParams.set("after", seq);
    if (host.dataset.leaf !== undefined) url.searchParams.set("leaf", host.dataset.leaf);
    socket = new WebSocket(url);
    socket.onopen = () => [(tries = 0), host.dataset.seq !== undefined && bar && (bar.hidden = true)];
    socket.onmessage = ({ data }) => {
      const frame = JSON.parse(data);
      if (frame.seq && frame.seq <= seq) return;
      seq = frame.seq || seq;
      if (frame.leaf) host.dataset.leaf = frame.leaf;
      apply(frame.fragments ?? [], host);
    };
    socket.onclose = () => {
      if (host.dataset.seq !== undefined && bar && tries > 1) bar.hidden = false;
      const wait = Math.min(15000, 400 * 2 ** tries++) * (0.75 + Math.random() / 2);
      timer = setTimeout(open, wait);
    };
  };
  const now = () => {
    if (socket.readyState === WebSocket.CLOSED && document.visibilityState === "visible") open();
  };
  host.addEventListener("restart", () => { // with another branch
    [socket.onclose, socket.onmessage, seq] = [null, null, Number(host.dataset.seq)];
    socket.close();
    open();
  });
  addEventListener("online", now);
  addEventListener("pagehide", () => { // a page with an open socket is not kept by the browser
    clearTimeout(timer);
    socket.onclose = null;
    socket.close();
  });
  addEventListener("pageshow", ({ persisted }) => persisted && open());
  document.addEventListener("visibilitychange", now);
  open();
}

for (const host of document.querySelectorAll("[data-stream]")) connect(host);

pill?.addEventListener("click", () => scroller.scrollTo({ top: scroller.scrollHeight, behavior: "smooth" }));
addEventListener("scroll", () => pill && atBottom() && (pill.hidden = true), { passive: true });
if (byId("transcript") && !location.hash) toEnd();
