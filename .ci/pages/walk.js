// Opens every page in every language, size and scheme, and says what is wrong.
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";
import { seed } from "./seed.js";
import { checks } from "./checks.js";
import { admin, open, stranger } from "./pages.js";
import { sheets } from "./sheets.js";

const url = process.env.PAGES_URL;
const pictures = process.env.SHEETS;
const languages = { en: "en-US", zh: "zh-CN" };
const sizes = [1440, 768, 390, 320];
const schemes = ["light", "dark"];
const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
  ignoreDefaultArgs: ["--disable-back-forward-cache"],
});
let looked = 0;

// What is wrong, and where.
const faults = new Map();
function report(where, found) {
  for (const fault of found) faults.set(fault, [...(faults.get(fault) ?? []), where]);
}

/** A person at the browser, signed in or not. */
async function person(language, signIn) {
  const context = await browser.newContext({ locale: languages[language], reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.addInitScript({ path: axe });
  await page.addInitScript(() => {
    window.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  page.on("console", (message) => message.type() === "error" && !page.url().endsWith(open.missing) && report(page.url(), [message.text()]));
  page.on("pageerror", (error) => report(page.url(), [error.message]));
  if (signIn) {
    await page.goto(url + "/login");
    await page.fill("input[name=email]", process.env.PAGES_EMAIL);
    await page.fill("input[name=password]", process.env.PAGES_PASSWORD);
    await page.click("main button[type=submit], form button");
    await page.waitForURL(url + "/");
  }
  return page;
}

/** Looks at one page in all sizes and schemes. */
async function look(page, path, language) {
  await page.setViewportSize({ width: sizes[0], height: 900 });
  const response = await page.goto(url + path, { waitUntil: "load" });
  if (response.status() >= 400 && path !== open.missing) report(path, [`is answered with ${response.status()}`]);
  for (const check of checks.once) report(`${path} ${language}`, await check(page));
  await page.evaluate(() => document.querySelectorAll("main details:not([popover])").forEach((fold) => (fold.open = true)));
  for (const scheme of schemes) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    for (const width of sizes) {
      await page.setViewportSize({ width, height: 900 });
      const where = `${path} ${language} ${width} ${scheme}`;
      for (const check of checks.each) report(where, await check(page, { scheme, width }));
      if (pictures) await page.screenshot({ path: `${pictures}/${where.replaceAll(/[/ ?=&]+/g, "_")}.png` });
      looked++;
    }
  }
  for (const check of checks.last) report(`${path} ${language}`, await check(page));
}

/** Looks at every page in one language, as a stranger and as an admin. */
async function walk(language) {
  const guest = await person(language, false);
  for (const path of stranger) await look(guest, path, language);
  await guest.context().close();
  const page = await person(language, true);
  for (const path of [...admin, ...Object.values(open), ...things.chats, ...things.cards, ...things.runs, ...things.answers, things.setup, ...things.documents]) {
    await look(page, path, language);
  }
  report(things.chats[0], [...(await checks.weight(page, url + things.chats[0])), ...(await checks.back(page, url, things.chats[0]))]);
  await page.context().close();
}

if (pictures) mkdirSync(pictures, { recursive: true });
const things = await seed();
await Promise.all(Object.keys(languages).map(walk));
if (pictures) await sheets(browser, pictures);
await browser.close();
console.log(`${looked} views of pages: ${faults.size} kinds of faults`);
for (const [fault, places] of faults) console.log(`${fault}\n    ${places.length} times, first on ${places[0]}`);
process.exit(faults.size ? 1 : 0);
