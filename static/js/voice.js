// Reads answers aloud, and writes what is said. Loaded once somebody wants one of them.
const texts = JSON.parse(document.getElementById("texts").textContent);
const root = document.documentElement;
const form = document.querySelector("[data-composer]");
const text = form?.querySelector("textarea");
const dictate = form?.querySelector("[data-dictate]");
const say = (message) => Object.assign(form.querySelector("[data-problem]"), { textContent: message, hidden: !message });

let reading; // the button of what is being read
function hush() {
  speechSynthesis.cancel();
  reading?.setAttribute("aria-pressed", "false");
  reading = null;
}

// aloud reads an answer line by line, for browsers stop in the middle of long texts. Code is only named.
export function aloud(button) {
  const again = reading === button;
  hush();
  if (again) return;
  const blocks = [...button.closest(".answer").querySelectorAll(".block")];
  const lines = blocks.flatMap((b) => (b.querySelector(".code")?.ariaLabel ?? b.innerText).split("\n")).filter((line) => line.trim() && line !== texts.csv);
  if (!lines.length) return;
  reading = button;
  button.ariaPressed = "true";
  for (const [i, line] of lines.entries()) {
    const said = new SpeechSynthesisUtterance(line);
    said.lang = /\p{Script=Han}/u.test(line) ? "zh-CN" : root.lang.replace(/^zh.*/, "en");
    if (i === lines.length - 1) said.onend = () => reading === button && hush();
    said.onerror = () => reading === button && hush();
    speechSynthesis.speak(said);
  }
}
addEventListener("pagehide", () => reading && hush());

// What is said becomes text at the caret, until it is sent or somebody types.
const Recognition = window.SpeechRecognition ?? window.webkitSpeechRecognition;
let ears = null;
function listen() {
  const mine = (ears = new Recognition());
  const [before, after] = [text.value.slice(0, text.selectionStart), text.value.slice(text.selectionEnd)];
  const gap = /[\w,.;:!?]$/.test(before) ? " " : "";
  Object.assign(mine, { lang: root.lang, continuous: true, interimResults: true });
  mine.onresult = ({ results }) => {
    if (mine !== ears) return;
    const said = before + gap + [...results].map((one) => one[0].transcript).join("").trim();
    text.value = said + after;
    text.dispatchEvent(new Event("input"));
    text.setSelectionRange(said.length, said.length);
  };
  mine.onerror = ({ error }) => mine === ears && error !== "no-speech" && say(texts.notHeard);
  mine.onend = () => mine === ears && deafen();
  dictate.ariaPressed = "true";
  text.focus();
  mine.start();
}
function deafen() {
  if (!ears) return;
  const mine = ears;
  ears = null;
  dictate.ariaPressed = "false";
  mine?.abort();
}

export const hear = () => (ears ? deafen() : listen());
form?.addEventListener("submit", deafen);
text?.addEventListener("input", (e) => e.isTrusted && ears && deafen());
