// Contact sheets: all pictures of one size, scheme and language on one page.
import { readdirSync } from "node:fs";

const perSheet = 12;

/** Writes sheet_*.png beside the pictures. */
export async function sheets(browser, folder) {
  const groups = {};
  for (const name of readdirSync(folder).filter((name) => name.endsWith(".png") && !name.startsWith("sheet_"))) {
    const kind = name.match(/_(en|zh)_(\d+)_(light|dark)\.png$/).slice(1).join("_");
    (groups[kind] ??= []).push(name);
  }
  const page = await browser.newPage({ viewport: { width: 1840, height: 800 } });
  for (const [kind, names] of Object.entries(groups)) {
    for (let from = 0; from < names.length; from += perSheet) {
      await page.goto(`file://${folder}`);
      await page.setContent(sheet(names.slice(from, from + perSheet)), { waitUntil: "load" });
      await page.screenshot({ path: `${folder}/sheet_${kind}_${from / perSheet + 1}.png`, fullPage: true });
    }
  }
  await page.close();
}

function sheet(names) {
  const figure = (name) => `<figure style="margin:0"><figcaption>${name}</figcaption><img src="${name}" style="width:100%;border:1px solid #999"></figure>`;
  return `<div style="display:grid;grid-template-columns:repeat(4,1fr);gap:12px;font:12px sans-serif">${names.map(figure).join("")}</div>`;
}
