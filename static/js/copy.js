// Copies code, tables, fields, messages, and what is selected in a chat.
const texts = JSON.parse(document.getElementById("texts").textContent);

// put fills the clipboard; the texts may still be on their way. Where pages have no clipboard, as
// over http, it does what the person's own key would do.
async function put(text, html) {
  if (navigator.clipboard && !html && typeof text === "string") return navigator.clipboard.writeText(text);
  if (navigator.clipboard?.write && window.ClipboardItem) {
    const of = (type, what) => Promise.resolve(what).then((s) => new Blob([s], { type }));
    const item = { "text/plain": of("text/plain", text) };
    if (html) item["text/html"] = of("text/html", html);
    return navigator.clipboard.write([new ClipboardItem(item)]);
  }
  const kinds = { "text/plain": await text, "text/html": await html };
  const fill = (e) => {
    e.preventDefault();
    e.stopImmediatePropagation();
    for (const [kind, what] of Object.entries(kinds)) if (what) e.clipboardData.setData(kind, what);
  };
  const chosen = getSelection(), before = chosen.rangeCount && chosen.getRangeAt(0);
  chosen.selectAllChildren(document.getElementById("main")); // browsers copy nothing where nothing is selected
  addEventListener("copy", fill, true);
  const done = document.execCommand("copy");
  removeEventListener("copy", fill, true);
  chosen.removeAllRanges();
  if (before) chosen.addRange(before);
  if (!done) throw new Error("no clipboard");
}

// tell says what came of it, to those who see the button and to those who do not.
function tell(button, said) {
  document.getElementById("live").append(Object.assign(document.createElement("p"), { textContent: said }));
  const menu = button.closest("details.menu");
  if (menu) menu.open = false;
  const mark = menu?.querySelector("summary") ?? button;
  if (menu) mark.focus();
  const label = mark.querySelector("span") ?? (mark.children.length ? null : mark);
  mark.dataset.label ??= label?.textContent ?? "";
  mark.dataset.told = "";
  if (label) label.textContent = said;
  else mark.title = said;
  setTimeout(() => {
    delete mark.dataset.told;
    if (label) label.textContent = mark.dataset.label;
    else mark.title = mark.ariaLabel;
  }, 1500);
}

// A cell that a spreadsheet would take for a formula begins with an apostrophe.
function cell(td) {
  const text = td.innerText.replace(/^[=+\-@\t\r]/, "'$&");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
const csv = (table) => [...table.rows].map((row) => `${[...row.cells].map(cell).join(",")}\r\n`).join("");

async function get(link, as) {
  const res = await fetch(`${link.href.split("?")[0]}?as=${as}`);
  if (!res.ok || res.redirected) throw new Error(`status ${res.status}`);
  return res.text();
}

// copied is what a button copies: text, and for rich text also HTML.
function copied(button) {
  const { copy, copyAs: as } = button.dataset;
  if (as === "html") return [get(button, "text"), get(button, "html")];
  if (as) return [get(button, as)];
  if (copy === "csv") return [csv(button.parentElement.querySelector("table"))];
  if (copy === undefined) return [button.previousElementSibling.value];
  return [button.closest(".code, .outputs").querySelector("pre").textContent];
}

for (const button of document.querySelectorAll("[data-copy-before]")) button.hidden = false;
document.addEventListener("click", async (e) => {
  const button = e.target.closest("[data-copy], [data-copy-as], [data-copy-before]");
  if (!button || e.ctrlKey || e.metaKey || e.shiftKey) return;
  e.preventDefault();
  const all = copied(button);
  try {
    await put(...all);
    tell(button, texts.copied);
  } catch {
    tell(button, texts.notCopied);
  }
});

// What a person selects in a chat is copied without the looks of the page.
document.addEventListener("copy", (e) => {
  const chosen = getSelection();
  const range = chosen.rangeCount && chosen.getRangeAt(0);
  const from = range && range.commonAncestorContainer;
  if (!from || chosen.isCollapsed || !(from.closest ? from : from.parentElement).closest("#transcript")) return;
  const box = document.createElement("div");
  box.append(range.cloneContents());
  for (const el of box.querySelectorAll(".code-head, .stamp, .sr-only, button, form, svg")) el.remove();
  for (const el of box.querySelectorAll("*")) {
    for (const { name } of [...el.attributes]) {
      if (!["start", "align"].includes(name) && !(name === "href" && el.origin !== location.origin)) el.removeAttribute(name);
    }
  }
  e.preventDefault();
  e.clipboardData.setData("text/plain", chosen.toString());
  e.clipboardData.setData("text/html", box.innerHTML);
});
