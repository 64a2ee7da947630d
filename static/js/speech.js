// Tells screen readers what happens: what the server says in fragments, and the
// blocks of an answer as they are finished.
const live = document.getElementById("live");

// say tells screen readers something. What they have not come to yet stays.
function say(text) {
  const line = document.createElement("p");
  line.textContent = text;
  live?.append(line);
  while (live?.children.length > 8) live.firstChild.remove();
}

// words is a block as it is told: of code, only what it is.
function words(block) {
  const copy = block.cloneNode(true);
  for (const el of copy.querySelectorAll(".code, br, .copy")) el.replaceWith(el.ariaLabel ?? " ");
  return copy.textContent.trim();
}

// speak tells what is finished of answers, each block once: not when it is drawn again, nor
// when an answer is written once more from its beginning. What was there before is quiet.
const newest = 8; // answers that can still grow
const told = new Map(); // an answer -> the words of its blocks, and how many of them still stand
function speak(quiet) {
  for (const answer of [...document.querySelectorAll("#transcript > .answer")].slice(quiet ? 0 : -newest)) {
    const blocks = [...answer.querySelectorAll(".block")];
    if (answer.querySelector(".writing")) blocks.pop();
    const was = told.get(answer.id) ?? { at: 0, words: [] };
    told.set(answer.id, was);
    was.at = Math.min(quiet ? Infinity : was.at, blocks.length);
    for (const block of blocks.slice(was.at)) {
      const text = words(block);
      if (text && text !== was.words[was.at]) say(text);
      was.words[was.at++] = text;
    }
  }
}

document.addEventListener("fragments", ({ detail }) => {
  speak(!detail);
  for (const f of detail ?? []) if (f.op === "say") say(f.html); // after the words that came before it
});
speak(true);
