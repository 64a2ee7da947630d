// Many approvals of one answer are one card to page through. Without this script
// they stand below each other.
const texts = JSON.parse(document.getElementById("texts").textContent);
const loose = 5; // as many stand below each other, as in the inbox
let at = 0;

function button(label, by, off) {
  const b = document.createElement("button");
  b.type = "button";
  b.className = "btn";
  b.textContent = label;
  b.disabled = off;
  b.addEventListener("click", () => {
    show(at + by);
    document.querySelector(`[data-pager] button:${by < 0 ? "first" : "last"}-of-type`)?.focus();
  });
  return b;
}

// show shows the card at a place and hides the others.
function show(place) {
  const all = [...document.querySelectorAll("#transcript > [data-card]")];
  const many = all.length > loose;
  at = Math.max(0, Math.min(place, all.length - 1));
  for (const [i, card] of all.entries()) {
    card.hidden = many && i !== at;
    card.querySelector("[data-pager]")?.remove();
  }
  if (!many) return;
  const pager = document.createElement("nav");
  pager.className = "pager";
  pager.dataset.pager = "";
  pager.ariaLabel = texts.cards;
  const where = document.createElement("span");
  where.className = "num";
  where.textContent = texts.cardOf.replace("{at}", at + 1).replace("{count}", all.length);
  pager.append(button(texts.previous, -1, at === 0), where, button(texts.next, 1, at === all.length - 1));
  all[at].querySelector(".ask-head").after(pager);
}

// A link to a card shows it, and gives it the focus: at once, for the next key is meant for it.
function follow(hash) {
  const card = document.getElementById(hash.slice(1));
  if (!card?.matches("#transcript > [data-card]")) return;
  show([...document.querySelectorAll("#transcript > [data-card]")].indexOf(card));
  card.focus();
}

document.addEventListener("fragments", () => show(at));
document.addEventListener("click", (e) => follow(e.target.closest('a[href^="#a-"]')?.hash ?? ""));
// What a child run that has ended did is loaded once its card is opened. Where it does not come,
// the card leads to the run's page.
document.addEventListener("toggle", async ({ target: box }) => {
  const log = box.open && box.querySelector(":scope > .child-body > [data-path]");
  if (!log) return;
  const answer = await fetch(log.dataset.path).catch(() => null);
  if (!answer?.ok || answer.redirected) return;
  log.outerHTML = await answer.text();
  document.dispatchEvent(new CustomEvent("fragments"));
}, true);
show(0);
follow(location.hash);
