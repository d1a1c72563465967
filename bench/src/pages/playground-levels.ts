// Both levels of the playground in Chromium, the tellers on one thread and on all, both on WebGPU where an adapter is: first paint, bytes, and seconds of
// warm start and steps. Prints lines of JSON. The story model is that of `$LACONIC_DATA/stories260k`.
// npx tsx bench/src/pages/playground-levels.ts [STEPS] > docs/benchmarks/playground-levels.jsonl
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { openChromium } from "../../../packages/view/test/fixture/open-page.ts";
import { playgroundServer } from "../../../packages/view/test/fixture/playground-server.ts";
import { machine, now, print, type Moment } from "../measure.ts";
import { readWords } from "../options.ts";

const steps = Number(readWords()[0] ?? 30);
const stories = join(process.env["LACONIC_DATA"] ?? "data", "stories260k");
const modelFiles = ["stories260K.c64.bin", "tok512.bin"].map((name) => join(stories, name));

const browser = await openChromium();
try {
  print("machine", { ...machine(), chromium: browser.version(), steps });
  await measure(browser, "relay", "one", "wasm");
  for (const threads of ["one", "all"] as const) await measure(browser, "tellers", threads, "wasm");
  if (await hasAdapter(browser))
    for (const level of ["relay", "tellers"] as const) await measure(browser, level, "one", "webgpu");
  else print("webgpu", { adapter: null });
} finally {
  await browser.close();
}

async function hasAdapter(of: Browser): Promise<boolean> {
  const server = await playgroundServer();
  const page = await of.newPage();
  await page.goto(server.address);
  const has = await page.evaluate<boolean>("navigator.gpu?.requestAdapter().then(Boolean) ?? false");
  await page.close();
  server.close();
  return has;
}

async function measure(
  of: Browser,
  level: "relay" | "tellers",
  threads: "one" | "all",
  device: "wasm" | "webgpu",
): Promise<void> {
  const server = await playgroundServer(threads === "all");
  const page = await (await of.newContext({ viewport: { width: 1140, height: 900 } })).newPage();
  const fetched = (): number => [...server.sent.values()].reduce((sum, size) => sum + size, 0);
  try {
    const navigated = await now();
    await page.goto(`${server.address}?level=${level}&device=${device}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    const paint = await page.evaluate<number>(
      `performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN`,
    );
    if (level === "tellers") await page.getByLabel("Open its files").setInputFiles(modelFiles);
    const train = page.getByRole("button", { name: "Train the team" }).and(page.locator(":enabled"));
    await train.waitFor({ timeout: 120_000 });
    const opened = await now();
    const bytes = fetched();
    await train.click();
    const first = await stepped(page, 1);
    const last = await stepped(page, steps);
    const text = async (place: number): Promise<string> => page.locator(".tiles b").nth(place).innerText();
    print("level", {
      level,
      device,
      threads: threads === "one" ? 1 : await page.evaluate<number>("navigator.hardwareConcurrency"),
      firstPaintMs: Math.round(paint),
      bytesBeforeTraining: bytes,
      untilTrainable: seconds(navigated, opened),
      untilFirstStep: seconds(opened, first),
      untilLastStep: seconds(opened, last),
      stepSeconds: Number(((last.wall - first.wall) / 1000 / (steps - 1)).toFixed(3)),
      tokens: await text(0),
    });
  } finally {
    await page.context().close();
    server.close();
  }
}

function seconds(from: Moment, to: Moment): { readonly wall: number; readonly processor: number } {
  return {
    wall: Number(((to.wall - from.wall) / 1000).toFixed(2)),
    processor: Number((to.processor - from.processor).toFixed(2)),
  };
}

/** Looks again and again: a page that may not evaluate text waits for no function. */
async function stepped(page: Page, step: number): Promise<Moment> {
  const title = page.getByRole("heading", { name: /step \d+/u });
  for (;;) {
    const [shown = ""] = await title.allTextContents();
    if (Number(/step (\d+)/u.exec(shown)?.[1] ?? 0) >= step) return now();
    await page.waitForTimeout(20);
  }
}
