// A link of an answer leads where a model chose, whatever its text says: it opens once a
// person has seen the whole address, whichever button or key was used.
const texts = JSON.parse(document.getElementById("texts").textContent);
const dialog = document.createElement("dialog");
dialog.className = "leave card";
dialog.ariaLabel = texts.openPage;
dialog.innerHTML = `<h2></h2><code></code><form class="actions" method="dialog"><a class="btn btn-primary" rel="nofollow noreferrer noopener"></a><button class="btn"></button></form>`;
const [head, address, way, stay] = dialog.querySelectorAll("h2, code, a, button");
[head.textContent, way.textContent, stay.textContent] = [texts.openPage, texts.openIt, texts.cancel];
document.body.append(dialog);

function ask(e) {
  const link = e.button < 2 && e.target.closest("a[href]");
  if (!link || link === way || link.origin === location.origin || !link.closest(".answer, .line-detail")) return;
  e.preventDefault();
  [way.href, way.target, address.textContent] = [link.href, link.target, link.href];
  dialog.showModal();
}
document.addEventListener("click", ask);
document.addEventListener("auxclick", ask);
for (const kind of ["click", "auxclick"]) way.addEventListener(kind, (e) => e.button < 2 && dialog.close());
