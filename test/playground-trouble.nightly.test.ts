import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, openChromium } from "../packages/view/test/fixture/open-page.ts";
import {
  atStep,
  blankPlayground,
  enabled,
  type OpenedPlayground,
} from "../packages/view/test/fixture/open-playground.ts";
import { playgroundServer, type PlaygroundServer } from "../packages/view/test/fixture/playground-server.ts";

const slow = { timeout: 900_000 };

let server: PlaygroundServer;
let browser: Browser;
/** Errors in consoles, and requests to other places. */
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

/** The playground in a profile of its own, whose worker first runs some text. */
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

/** Lets one step pass. */
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
    // Which could not begin either.
    expect(await enabled(page, "Start a new run").count()).toBe(0);
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Watch a team learn to say less");
    await context.close();
  });

  test("without storage keeps the run in the tab, and a dead worker loses no saved step", slow, async () => {
    const refused = `StorageManager.prototype.getDirectory = () => Promise.reject(new DOMException("not in this mode", "SecurityError"));`;
    const { page, context } = await opened("?steps=40", refused);
    await page.getByText(/^The browser refuses to store files \(not in this mode\)/u).waitFor();
    await oneStep(page, 1);
    await says(page, /exists only in this tab: export it before you leave/u);
    await enabled(page, "Continue").click();
    await page.getByText(/^The team at step [2-9]/u).waitFor();
    await page.workers()[0]?.evaluate("self.setTimeout(() => { throw new RangeError('out of memory'); })");
    await says(page, /training worker ended: .*out of memory\. The run was saved at step 1\./u);
    for (const name of ["One step", "Export the run (.zip)"]) expect(await enabled(page, name).count()).toBe(0);
    await enabled(page, "Continue from step 1").click();
    await atStep(page, 1);
    await oneStep(page, 2);
    await enabled(page, "Export the run (.zip)").waitFor();
    await context.close();
  });

  test("that kills the worker is detected, and the stored run continues", slow, async () => {
    const { page, context } = await opened("?steps=40");
    await oneStep(page, 1);
    await enabled(page, "Continue").click();
    await page.getByText(/^The team at step [2-9]/u).waitFor();
    // What a system does that is short of memory: nobody is told.
    await page.workers()[0]?.evaluate("self.close()");
    await page
      .getByText(/has not answered for 20 seconds\. The run was saved at step 1\./u)
      .waitFor({ timeout: 60_000 });
    await enabled(page, "Wait").waitFor();
    await enabled(page, "Continue from step 1").click();
    await atStep(page, 1);
    await oneStep(page, 2);
    await page.getByText("Saved in this browser. A reload resumes the run.").waitFor();
    await context.close();
  });

  test("without space reports it, keeps training, and reloads the last complete save", slow, async () => {
    const { page, context } = await opened("?steps=40");
    await oneStep(page, 1);
    await page.getByText("Saved in this browser. A reload resumes the run.").waitFor();
    const { origin } = new URL(server.address);
    const client = await context.newCDPSession(page);
    await client.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1000 });
    await oneStep(page, 2);
    await says(page, /no longer saves the run: its storage for this site is full/u);
    expect(await page.getByText("Saved in this browser").count()).toBe(0);
    await oneStep(page, 3);
    page.once("dialog", (dialog) => void dialog.accept());
    await page.reload();
    await atStep(page, 1);
    await enabled(page, "Continue").waitFor();
    await context.close();
  });

  test("with a hidden tab saves and continues the run without an alarm", slow, async () => {
    // More than a fast machine takes while the tab is away.
    const { page, context } = await opened("?steps=2000");
    await oneStep(page, 1);
    await enabled(page, "Continue").click();
    await page.getByText(/^The team at step [2-9]/u).waitFor();
    await page.evaluate(`
      Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    `);
    // Saved where it was, not where it was paused or checked last.
    await expect
      .poll(() => savedSteps(page), { timeout: 60_000, interval: 200 })
      .toContainEqual(expect.stringMatching(/^step-0{6}(?:0[2-9]|[1-9]\d)$/u));
    const client = await context.newCDPSession(page);
    await client.send("Page.setWebLifecycleState", { state: "frozen" });
    await new Promise((resolve) => setTimeout(resolve, 3000));
    await client.send("Page.setWebLifecycleState", { state: "active" });
    await page.evaluate(`
      delete document.visibilityState;
      document.dispatchEvent(new Event("visibilitychange"));
    `);
    const [, seen = "0"] =
      /(\d+)$/u.exec((await page.locator(".stage h2").innerText()).split(" tokens")[0] ?? "") ?? [];
    await atStep(page, Number(seen) + 1);
    expect(await page.locator(".notices .bad").count()).toBe(0);
    await context.close();
  });

  test("writes no console error and contacts no other site", () => expect(faults).toEqual([]));
});

/** Checkpoints in the browser's private file system. */
async function savedSteps(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(`(async () => {
    const root = await (await navigator.storage.getDirectory()).getDirectoryHandle("laconic-playground-relay");
    const run = await root.getDirectoryHandle("run");
    const names = [];
    for await (const name of (await run.getDirectoryHandle("checkpoints")).keys()) names.push(name);
    return names;
  })()`);
}
