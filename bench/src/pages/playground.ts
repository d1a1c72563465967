// What the playground asks of a visitor: bytes, seconds, and what the page says to those who do not see it. Writes the figures
// into docs/playground.md, and screenshots into a folder where one is named.
// npx tsx bench/src/pages/playground.ts [FOLDER]
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { cpus } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { openChromium } from "../../../packages/view/test/fixture/open-page.ts";
import { playgroundServer } from "../../../packages/view/test/fixture/playground-server.ts";
import { now, type Moment } from "../measure.ts";
import { root } from "../processes.ts";
import { readWords } from "../options.ts";

const [folder] = readWords();
const axe = createRequire(join(root, "packages/view/package.json")).resolve("axe-core");

const server = await playgroundServer();
const browser = await openChromium();
const errors: string[] = [];
try {
  const page = await browser.newPage({ viewport: { width: 1140, height: 900 }, reducedMotion: "reduce" });
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", ({ message }) => errors.push(message));
  page.on(
    "request",
    (request) => request.url().startsWith(new URL(server.address).origin) || errors.push(request.url()),
  );

  const navigated = await now();
  await page.goto(server.address);
  const train = page.getByRole("button", { name: "Train the team" }).and(page.locator(":enabled"));
  await train.waitFor();
  const clicked = await now();
  await train.click();
  await stepped(page, 1);
  const first = await now();
  const bytes = [...server.sent.values()].reduce((sum, size) => sum + size, 0);
  await stepped(page, 30);
  const thirty = await now();
  await page.getByRole("button", { name: "Train 60 more steps" }).waitFor({ timeout: 600_000 });
  const done = await now();
  await page.getByRole("button", { name: "Ask both" }).click();
  await page.locator(".ask .both").waitFor();
  const violations = await accessibility(page);
  const tokens = (await page.locator(".tiles dd").first().innerText()).replaceAll("\n", ", ");

  if (folder !== undefined) await screenshots(page, folder);
  const seconds = (from: Moment, to: Moment): string =>
    `${((to.wall - from.wall) / 1000).toFixed(1)} s; ${(to.processor - from.processor).toFixed(1)} s of processor time`;
  const kilobytes = (isMeant: (path: string) => boolean): string => {
    const some = [...server.sent].filter(([path]) => isMeant(path)).reduce((sum, [, size]) => sum + size, 0);
    return `${(some / 1000).toFixed(0)} kB`;
  };
  const known = /worker|safetensors$|wasm$/u;
  const figures: readonly (readonly [what: string, value: string])[] = [
    ["to fetch before the first step, gzipped", `${(bytes / 1000).toFixed(0)} kB`],
    ["of it weights", kilobytes((path) => path.endsWith("safetensors"))],
    ["of it the worker: trainer, engine, task", kilobytes((path) => path.includes("worker"))],
    ["of it the page", kilobytes((path) => !known.test(path))],
    ["of it wasm kernels", kilobytes((path) => path.endsWith("wasm"))],
    ["from the address to a team that can be trained", seconds(navigated, clicked)],
    ["from the click to the first step, 100 test problems measured before it", seconds(clicked, first)],
    ["30 steps", seconds(clicked, thirty)],
    ["120 steps", seconds(clicked, done)],
    ["tokens per episode at the end", tokens],
    ["faults of accessibility that axe finds, WCAG 2.2 A and AA", String(violations.length)],
    ["errors in the console, requests to other places", String(errors.length)],
  ];
  await write(figures, await browserVersion());
  for (const each of [...violations, ...errors]) console.log(each);
} finally {
  await browser.close();
  server.close();
}

/** Looks again and again: a page that may not evaluate text waits for no function. */
async function stepped(page: Page, step: number): Promise<void> {
  const title = page.locator("#stage-title");
  for (;;) {
    const [, at = "0"] = /step (\d+)/u.exec((await title.textContent()) ?? "") ?? [];
    if (Number(at) >= step) return;
    await page.waitForTimeout(20);
  }
}

async function accessibility(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(axe, "utf8"));
  const rules = JSON.stringify(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]);
  return page.evaluate<string[]>(
    `axe.run(document, { runOnly: ${rules}, resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map((node) => node.html).join(" ")))`,
  );
}

async function screenshots(page: Page, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const [size, width, height] of [
    ["desktop", 1180, 900],
    ["phone", 390, 844],
    ["narrow", 360, 740],
  ] as const)
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      await page.waitForTimeout(400);
      await page.screenshot({ path: join(to, `playground-${size}-${colorScheme}.png`), fullPage: true });
      const isTooWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
      if (isTooWide === true) console.log(`${size}: wider than the screen`);
    }
}

async function browserVersion(): Promise<string> {
  return `Chromium ${browser.version().split(".")[0]}`;
}

async function write(figures: readonly (readonly [what: string, value: string])[], version: string): Promise<void> {
  const file = join(root, "docs/playground.md");
  const text = await readFile(file, "utf8");
  const day = new Date().toISOString().slice(0, 10);
  const where = `${version}, headless, ${cpus().length} cores of ${cpus()[0]?.model ?? "an unknown processor"}, ${day}: \`npx tsx bench/src/pages/playground.ts\`.`;
  const table = ["| | |", "| --- | --- |", ...figures.map(([what, value]) => `| ${what} | ${value} |`)].join("\n");
  await writeFile(file, text.replace(/(?<=\n## Measured\n\n)[^]*$/u, `${where}\n\n${table}\n`));
  console.log(table);
}
