// Buttons that copy the field before them, where the browser lets pages do that.
for (const button of document.querySelectorAll("[data-copy-before]")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.previousElementSibling.value);
    button.querySelector("span").textContent = button.dataset.done;
  });
}
