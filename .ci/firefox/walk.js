// Walks through a chat in Firefox, in each language on another width, and says what is wrong.
import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import puppeteer from "puppeteer-core";
import { accessible } from "./checks.js";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const url = process.env.WALK_URL;
const patience = 60_000;
const people = [
  { language: "en-US", width: 1440, height: 900, count: "Version 1 of 2", held: "Resume" },
  { language: "zh-CN", width: 390, height: 844, count: "第 1 个版本，共 2 个", held: "继续" },
];

/** A person at a Firefox of their own. */
class Person {
  constructor(page, faults) {
    Object.assign(this, { page, faults });
    page.setDefaultTimeout(patience);
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  }

  /** Waits until something is true on the page. */
  async until(what, test, ...args) {
    try {
      await this.page.waitForFunction(test, { polling: 50 }, ...args);
    } catch (error) {
      throw new Error(`${what}: ${error.message}\nthe page says: ${await this.page.evaluate(() => document.body.innerText)}`);
    }
  }

  async press(...keys) {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** Writes into the field that has the focus, in the place of what is there. */
  async writes(text) {
    await this.page.evaluate(() => document.activeElement.select());
    await this.page.keyboard.type(text);
    await this.until(`has ${text} in the field`, (want) => document.activeElement.value === want, text);
  }

  async says(text) {
    await this.page.focus("#composer-text");
    await this.writes(text);
    await this.press("Enter");
    await this.until(`sees ${text} sent`, (want) => [...document.querySelectorAll("#transcript > .said .said-text")].at(-1)?.textContent === want, text);
  }

  /** Waits until nothing is being written, and the last answer is whole. */
  async hears() {
    await this.until("hears the end", () => document.querySelector("#transcript")?.lastElementChild?.matches(".end") && document.querySelector("#run-state").dataset.status !== "running");
  }

  /** Goes to what has a selector with the keyboard, as Tab does it, and presses it. */
  async opens(selector) {
    await this.until(`finds ${selector}`, (which) => document.querySelector(which), selector);
    await this.page.evaluate((which) => document.querySelector(which).focus(), selector);
    await this.press("Enter");
  }

  said() {
    return this.page.evaluate(() => [...document.querySelectorAll("#transcript > .said .said-text")].map((el) => el.textContent).join(" | "));
  }

  /** Holds the page against axe-core's rules. */
  async looks(what) {
    this.faults.push(...(await accessible(this.page)).map((fault) => `${what}: ${fault}`));
  }

  async is(what, got, want) {
    if ((await got) !== want) this.faults.push(`${what}: ${await got}, not ${want}`);
  }
}

const last = "#transcript > .said:nth-last-child(1 of .said)";
const field = () => document.activeElement.matches(".message-form [name=content]");
const closed = () => !document.querySelector(".message-form");

async function signsIn(person) {
  const { page } = person;
  await page.goto(`${url}/login`);
  await page.focus("input[name=email]");
  await page.keyboard.type(process.env.WALK_EMAIL);
  await page.focus("input[name=password]");
  await page.keyboard.type(process.env.WALK_PASSWORD);
  await person.press("Enter");
  await person.until("is signed in", () => location.pathname === "/");
}

/** Edits a message, goes back to its first version, and finds that one again after a reload. */
async function versions(person, words) {
  await person.says("alpha");
  await person.hears();
  await person.says("beta");
  await person.hears();
  await person.opens(`${last} a[href$="/edit"]`);
  await person.until("edits", field);
  await person.looks("an edit");
  await person.writes("gamma");
  await person.press("Enter");
  await person.until("sees the edit", closed);
  await person.hears();
  await person.is("after the edit", person.said(), "alpha | gamma");
  await person.opens(`${last} .versions [id$="-before"]`);
  await person.until("sees the first version", () => [...document.querySelectorAll(".said-text")].at(-1).textContent === "beta");
  await person.until("hears which it is", (count) => document.getElementById("live").textContent.includes(count), words.count);
  await person.page.reload();
  await person.until("sees it again", () => [...document.querySelectorAll(".said-text")].at(-1)?.textContent === "beta" && document.readyState === "complete");
  await person.opens(`#transcript > .answer:nth-last-child(1 of .answer) a[href$="/again"]`);
  await person.until("is asked how", () => document.querySelector(".answer .message-form .btn-primary"));
  await person.opens(".answer .message-form .btn-primary");
  await person.until("sees another answer", () => !document.querySelector(".message-form") && [...document.querySelectorAll(".answer .versions")].at(-1)?.textContent.includes("2/2"));
  await person.hears();
  await person.looks("versions");
}

/** Writes while an answer is being written, stops that, and lets what waits go on. */
async function queue(person) {
  await person.says("test long");
  await person.until("sees it written", () => document.querySelector("#run-state").dataset.status === "running");
  await person.page.focus("#composer-text");
  await person.writes("delta");
  await person.press("Enter");
  await person.until("sees it wait", () => document.querySelector("#queue")?.textContent.includes("delta"));
  await person.press("Escape");
  await person.until("has stopped it", () => document.querySelector("#run-state").dataset.status === "aborted" && document.querySelector("#queue").textContent.includes("delta"));
  await person.looks("a queue");
  await person.opens("#queue-resume");
  await person.until("sees it sent", () => [...document.querySelectorAll("#transcript > .said .said-text")].at(-1)?.textContent === "delta");
  await person.hears();
}

/** Deletes the last message. */
async function deletes(person) {
  await person.opens(`${last} a[href$="/delete"]`);
  await person.until("is asked", () => document.querySelector(".message-form .btn-danger"));
  await person.looks("a deletion");
  await person.opens(".message-form .btn-danger");
  await person.until("sees it gone", () => !document.querySelector(".message-form") && ![...document.querySelectorAll(".said-text")].some((el) => el.textContent === "delta"));
}

async function walk(words) {
  const faults = [];
  const browser = await puppeteer.launch({
    browser: "firefox", executablePath: process.env.FIREFOX ?? "/usr/bin/firefox-esr", headless: true,
    extraPrefsFirefox: { "intl.accept_languages": words.language, "ui.prefersReducedMotion": 1 },
  });
  try {
    const page = await browser.newPage();
    await page.setViewport({ width: words.width, height: words.height });
    await page.evaluateOnNewDocument(axe);
    const person = new Person(page, faults);
    await signsIn(person);
    for (const part of [versions, queue, deletes]) await part(person, words);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    if (wide > words.width) faults.push(`the chat is ${wide} pixels wide`);
  } catch (error) {
    faults.push(error.message);
  } finally {
    await browser.close();
  }
  return faults.map((fault) => `${words.language}: ${fault}`);
}

const faults = [];
for (const words of people) faults.push(...(await walk(words)));
console.log(faults.join("\n") || `a chat in Firefox, ${people.length} times: nothing is wrong`);
process.exit(faults.length ? 1 : 0);
