// What has to hold on a page. A check returns the faults it found, in words.

const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/**
 * axe-core's rules, on the page without bars that stay while it scrolls, and without menus above
 * it: what is half below one is not too small a target. Where only the colours differ from what was looked at,
 * only its rules of colour.
 */
export async function accessible(page, { scheme } = {}) {
  const run = scheme === "dark" ? { type: "rule", values: ["color-contrast", "link-in-text-block"] } : { type: "tag", values: rules };
  return page.evaluate(async (runOnly) => {
    const bars = [...document.querySelectorAll("body *")].filter((el) => getComputedStyle(el).position === "sticky");
    for (const bar of bars) bar.style.position = "relative";
    const menus = document.querySelectorAll("main .menu-body");
    for (const menu of menus) menu.style.position = "static";
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"], runOnly });
    for (const el of [...bars, ...menus]) el.style.position = "";
    return violations.map(({ id, nodes }) => `axe: ${id}, ${nodes[0].target.join(" ").replace(/[0-9A-Za-z]{16,}/g, "…")}`);
  }, run);
}

/** Nothing is wider than the window. */
async function fits(page, { width }) {
  const widest = await page.evaluate(() => document.scrollingElement.scrollWidth);
  return widest > width ? [`${widest} px wide in a window of ${width}`] : [];
}

/** The layout stays where it was while the page loads. */
async function still(page) {
  const shift = await page.evaluate(() => window.shift);
  return shift > 0.02 ? [`the layout shifts by ${shift.toFixed(3)}`] : [];
}

/** Laid out from right to left, the page still fits the window. */
async function mirrors(page) {
  const faults = [];
  await page.evaluate(() => (document.documentElement.dir = "rtl"));
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    faults.push(...(await fits(page, { width })).map((fault) => `right to left: ${fault}`));
  }
  await page.evaluate(() => document.documentElement.removeAttribute("dir"));
  return faults;
}

/** In forced colours, which drop shadows, one sees what has the focus. */
async function ringed(page) {
  await page.emulateMedia({ forcedColors: "active" });
  await page.keyboard.press("Tab");
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  await page.emulateMedia({ forcedColors: "none" });
  await page.evaluate(() => document.activeElement.blur());
  return outline === "none" ? ["nothing shows the focus in forced colours"] : [];
}

/** One style sheet. */
async function oneSheet(page) {
  const sheets = await page.evaluate(() => document.styleSheets.length);
  return sheets === 1 ? [] : [`${sheets} style sheets`];
}

/** A chat, opened for the first time, is at most 60 KB over the wire. */
async function weight(page, address) {
  const session = await page.context().newCDPSession(page);
  let bytes = 0;
  session.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  await page.goto(address, { waitUntil: "load" });
  await session.detach();
  console.log(`a chat is ${(bytes / 1024).toFixed(1)} KB over the wire`);
  return bytes > 60 * 1024 ? [`a chat is ${bytes} bytes over the wire`] : [];
}

/** Back and forward show a page from memory. */
async function back(page, url, path) {
  await page.goto(url + path);
  await page.evaluate(() => addEventListener("pageshow", (event) => (window.restored = event.persisted)));
  await page.goto(url + "/approvals");
  await page.goBack({waitUntil:"commit"});
  const restored = await page.evaluate(() => window.restored === true);
  return restored ? [] : ["going back loads the page again"];
}

export const checks = { once: [still, oneSheet, ringed], each: [fits, accessible], last: [mirrors], weight, back };
