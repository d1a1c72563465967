import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, openChromium } from "../packages/view/test/fixture/open-page.ts";
import { atStep, blankPlayground, enabled } from "../packages/view/test/fixture/open-playground.ts";
import type { OpenedPlayground } from "../packages/view/test/fixture/open-playground.ts";
import { playgroundServer, type PlaygroundServer } from "../packages/view/test/fixture/playground-server.ts";

const slow = { timeout: 900_000 };

let server: PlaygroundServer;
let browser: Browser;
const faults: string[] = [];

beforeAll(async () => {
  if (chromiumPath === null) return;
  server = await playgroundServer();
  browser = await openChromium(["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"]);
});
afterAll(async () => {
  if (chromiumPath === null) return;
  await browser.close();
  server.close();
});

async function opened(query: string, first = ""): Promise<OpenedPlayground> {
  const { page, context } = await blankPlayground(browser, faults);
  await context.route(/\/training-worker-[^/]*\.js$/u, async (route) => {
    const reply = await route.fetch();
    await route.fulfill({ response: reply, body: `${first}\n${await reply.text()}` });
  });
  await page.goto(server.address + query);
  return { page, context };
}

const says = (page: Page, words: RegExp) => page.locator(".notices").getByText(words).first().waitFor();
async function oneStep(page: Page, step: number): Promise<void> {
  await enabled(page, "One step").click();
  await atStep(page, step);
  await enabled(page, "Continue").waitFor();
}

describe.skipIf(chromiumPath === null)("a browser in the playground", () => {
  test("without wasm SIMD shows suitable browsers and other ways to train", slow, async () => {
    const without = `WebAssembly.instantiate = () => Promise.reject(new WebAssembly.CompileError("invalid value type 's128'"));`;
    const { page, context } = await opened("", without);
    await says(page, /no WebAssembly SIMD.*Safari 16\.4.*npx @laconic\/cli quickstart/u);
    await page.getByText("The model could not be loaded.").waitFor();
    await enabled(page, "Reload the page").waitFor();
    expect(await enabled(page, "Start a new run").count()).toBe(0);
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Watch a team learn to say less");
    await context.close();
  });

  test("reports a lost worker, starts a new run, and asks before the page is left", slow, async () => {
    const { page, context } = await opened("?steps=40");
    await oneStep(page, 1);
    await enabled(page, "Continue").click();
    await page.getByText(/^The team at step [2-9]/u).waitFor();
    await page.workers()[0]?.evaluate("self.setTimeout(() => { throw new RangeError('out of memory'); })");
    await says(page, /training worker ended: .*out of memory/u);
    for (const name of ["One step", "Export the run (.zip)"]) expect(await enabled(page, name).count()).toBe(0);
    await enabled(page, "Start a new run").click();
    await page.getByText("The team before training").waitFor();
    await oneStep(page, 1);

    const asked = page.waitForEvent("dialog");
    const reloaded = page.reload();
    const dialog = await asked;
    expect(dialog.type()).toBe("beforeunload");
    await dialog.accept();
    await reloaded;
    await page.getByText("The team before training").waitFor();
    await context.close();
  });

  test("writes no console error and contacts no other site", () => expect(faults).toEqual([]));
});
