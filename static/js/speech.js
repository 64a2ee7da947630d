// Tells screen readers what happens: what the server says in fragments, and the
// sentences of an answer as they are written.
const live = document.getElementById("live");

// say tells screen readers something. What they have not come to yet stays.
function say(text) {
  const line = document.createElement("p");
  line.textContent = text;
  live?.append(line);
  while (live?.children.length > 8) live.firstChild.remove();
}

// speak hands finished sentences of the newest answer to screen readers, not
// every piece of them.
let spoken = { id: "", length: 0 };
function speak() {
  const answer = [...document.querySelectorAll(".answer")].at(-1);
  const text = answer?.querySelector(".prose")?.innerText ?? "";
  if (!answer || !live) return;
  if (spoken.id !== answer.id || text.length < spoken.length) spoken = { id: answer.id, length: 0 };
  const done = answer.querySelector(".writing") ? /^[\s\S]*[.!?。！？:\n](?=\s|$)/.exec(text.slice(spoken.length))?.[0] : text.slice(spoken.length);
  if (!done?.trim()) return;
  spoken.length += done.length;
  say(done.slice(-500));
}

document.addEventListener("fragments", ({ detail }) => {
  speak();
  for (const f of detail ?? []) if (f.op === "say") say(f.html); // after the words that came before it
});
