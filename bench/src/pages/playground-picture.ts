// Pictures of docs/playground.md, light and dark, with the alternative text: a step with priced tokens, and a wasteful
// conversation. npx tsx bench/src/pages/playground-picture.ts
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { openChromium } from "../../../packages/view/test/fixture/open-page.ts";
import { playgroundServer } from "../../../packages/view/test/fixture/playground-server.ts";
import { readOptions } from "../options.ts";
import { root } from "../processes.ts";

readOptions({ options: {} });

/** Earlier the team has learned little; later it saves little. */
const steps = { first: 28, last: 60 } as const;

interface Scene {
  readonly step: string;
  readonly price: string;
  readonly tokens: string;
  readonly untrained: string;
  /** Tokens of a holder that was not asked. */
  readonly wasted: number;
}

const server = await playgroundServer();
const browser = await openChromium();
try {
  const page = await browser.newPage({ viewport: { width: 1140, height: 1400 }, reducedMotion: "reduce" });
  await page.goto(server.address);
  const scene = await findScene(page);
  await page.evaluate(`
    document.querySelector(".columns > .stack > :last-child").remove();
    document.querySelector(".columns").style.alignItems = "stretch";
    scrollTo(0, 0);
  `);
  for (const [colorScheme, name] of [
    ["light", "playground.png"],
    ["dark", "playground-dark.png"],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(400);
    const box = await page.locator(".columns").boundingBox();
    if (!box) throw new Error("the page shows no team");
    const clip = { x: box.x - 10, y: box.y - 10, width: box.width + 20, height: box.height + 20 };
    await page.screenshot({ path: join(root, "docs/public", name), clip });
  }
  const file = join(root, "docs/playground.md");
  const text = await readFile(file, "utf8");
  const alt = inWords(scene);
  await writeFile(file, text.replace(/(?<=<img alt=")[^"]*(?=" src="\/playground\.png">)/u, alt));
  console.log(alt);
} finally {
  await browser.close();
  server.close();
}

/** Trains step by step, until the page shows the wanted conversation. */
async function findScene(page: Page): Promise<Scene> {
  const one = page.getByRole("button", { name: "One step" });
  for (let step = 1; step <= steps.last; step++) {
    await one.and(page.locator(":enabled")).click({ timeout: 120_000 });
    for (const title = page.locator(".stage h2"); !(await title.innerText()).includes(`step ${step} `);)
      await page.waitForTimeout(20);
    if (step < steps.first) continue;
    // The conversation before it is shown completely.
    await page.waitForTimeout(1600);
    const scene = await sceneOn(page, step);
    if (scene) return scene;
  }
  throw new Error(`no step from ${steps.first} to ${steps.last} shows a price, waste and a right answer`);
}

/** Null if tokens are free, the answer is wrong, an asked holder is silent, or no other holder is. */
async function sceneOn(page: Page, step: number): Promise<Scene | null> {
  const [tokens, , price] = await Promise.all(
    [0, 1, 2].map((tile) => page.locator(".tiles dd b").nth(tile).innerText()),
  );
  const untrained = await page.locator(".tiles dd").first().locator("span").innerText();
  const stage = page.locator(".stage .conversation");
  const question = await stage.locator("p.line b").first().innerText();
  const isRight = (await stage.locator("p.line .good").count()) > 0;
  const holders = await Promise.all((await stage.locator(".turns li:has(.knows)").all()).map(holderOf));
  const asked = holders.filter(({ letter }) => question.includes(letter));
  const idle = holders.filter(({ letter }) => !question.includes(letter));
  const wasted = Math.max(0, ...idle.map((each) => each.tokens));
  const isScene =
    Number.parseFloat(price ?? "") >= 0.05 && isRight && asked.every((each) => each.tokens > 1) && wasted > 3;
  return isScene
    ? {
        step: String(step),
        price: price ?? "",
        tokens: tokens ?? "",
        untrained: /[\d.]+/u.exec(untrained)?.[0] ?? "",
        wasted,
      }
    : null;
}

async function holderOf(turn: Locator): Promise<{ readonly letter: string; readonly tokens: number }> {
  const fact = await turn.locator(".knows .safe-text").innerText();
  return { letter: fact.slice(0, 1), tokens: Number(await turn.locator(".number.last").innerText()) };
}

function inWords({ step, price, tokens, untrained, wasted }: Scene): string {
  return (
    `A team of four at step ${step} of its training in a browser tab. A token costs ${price} of a right answer, and tokens per episode fell ` +
    `from ${untrained} to ${tokens}. The solver is right, and one message is waste: ${wasted} tokens from the holder whose fact the question does not need.`
  );
}
