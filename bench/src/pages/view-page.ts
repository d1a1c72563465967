// What the dashboard's page costs with 100 runs of 10,000 rows, 1,000,000 points a metric, and 100,000 episodes: first paint, the time from
// an input to the next picture (Event Timing, what "interaction to next paint" is made of), until every chart has its final points, and
// memory of the page's process. JSON lines. npx tsx bench/src/pages/view-page.ts
import { readdirSync, readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { webFolder } from "../../../packages/view/src/web-folder.ts";
import { fakeServer } from "../../../packages/view/test/fixture/fake-server.ts";
import { openChromium } from "../../../packages/view/test/fixture/open-page.ts";
import { machine, print } from "../measure.ts";
import { readOptions } from "../options.ts";

readOptions({ options: {} });

const sizes = { runs: 100, rows: 10_000, episodes: 100_000 };
const server = await fakeServer(await webFolder(), sizes);
const browser = await openChromium();
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
await page.addInitScript(`
  globalThis.measured = { events: [], lastDraw: 0, longest: 0 };
  new PerformanceObserver((list) => {
    for (const { duration, startTime, name } of list.getEntries()) measured.events.push({ duration, startTime, name });
  }).observe({ type: "event", durationThreshold: 16 });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) measured.longest = Math.max(measured.longest, duration);
  }).observe({ type: "longtask" });
  const clear = CanvasRenderingContext2D.prototype.clearRect;
  CanvasRenderingContext2D.prototype.clearRect = function (...box) {
    measured.lastDraw = performance.now();
    return clear.apply(this, box);
  };
`);
const devtools = await page.context().newCDPSession(page);
// Time on the processor, not on the wall: others work on this machine too.
await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
const all = Array.from({ length: sizes.runs }, (_, run) => `sel=r${run}`).join("&");

async function loaded(hash: string, ready: string): Promise<Readonly<Record<string, number>>> {
  await page.goto("about:blank");
  await page.goto(`${server.address}/${hash}`);
  await page.locator(ready).first().waitFor();
  const readyMs = await page.evaluate<number>("performance.now()");
  const paintMs = await page.evaluate<number>(
    "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN",
  );
  return { firstContentfulPaintMs: Math.round(paintMs), readyMs: Math.round(readyMs) };
}

/** All that the page's thread computed so far. */
async function computedMs(): Promise<number> {
  const { metrics } = await devtools.send("Performance.getMetrics");
  return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? NaN);
}

/**
 * Longest time from an input to the next picture, and to the last stroke of a chart, by the clock; and all that the page's thread computed
 * for it, by the processor. Below 16 ms nothing is reported: then 16.
 */
async function interaction(name: string, act: (on: Page) => Promise<void>): Promise<Readonly<Record<string, unknown>>> {
  const start = await page.evaluate<number>(
    "(measured.events.length = 0, measured.longest = 0, measured.lastDraw = 0, performance.now())",
  );
  const computed = await computedMs();
  await act(page);
  await page.waitForTimeout(2500);
  const computedFor = Math.round((await computedMs()) - computed);
  const { events, lastDraw, longest } = await page.evaluate<{
    events: { duration: number; startTime: number }[];
    lastDraw: number;
    longest: number;
  }>("measured");
  const worst = Math.max(16, ...events.map(({ duration }) => duration));
  const first = events[0]?.startTime ?? start;
  return {
    name,
    nextPaintMs: worst,
    allChartsMs: lastDraw === 0 ? null : Math.round(lastDraw - first),
    longestTaskMs: Math.round(longest),
    computedMs: computedFor,
  };
}

/** Proportional memory of the process that runs the page, its worker included: the largest of those that run pages; others stand ready. */
function pageMegabytes(): number {
  let most = 0;
  for (const id of readdirSync("/proc").filter((name) => /^\d+$/u.test(name)))
    try {
      if (!readFileSync(`/proc/${id}/cmdline`, "utf8").includes("--type=renderer") || !isOurs(Number(id))) continue;
      const summary = readFileSync(`/proc/${id}/smaps_rollup`, "utf8");
      most = Math.max(most, Number(/^Pss:\s+(\d+)/mu.exec(summary)?.[1] ?? 0));
    } catch {
      // Ended meanwhile.
    }
  return Math.round(most / 1000);
}

function isOurs(id: number): boolean {
  for (let at = id; at > 1; at = Number(/^PPid:\s+(\d+)/mu.exec(readFileSync(`/proc/${at}/status`, "utf8"))?.[1] ?? 0))
    if (at === process.pid) return true;
  return false;
}

async function drag(on: Page): Promise<void> {
  const box = (await on.locator(".line-chart > svg").first().boundingBox()) as {
    x: number;
    y: number;
    width: number;
    height: number;
  };
  await on.mouse.move(box.x + box.width * 0.3, box.y + 60);
  await on.mouse.down();
  await on.mouse.move(box.x + box.width * 0.6, box.y + 60, { steps: 6 });
  await on.mouse.up();
}

async function charts(by: string): Promise<Record<string, unknown>> {
  const first = await loaded(`#/compare/curves?${all}&by=${by}`, ".line-chart path");
  // Charts say how many columns are still to come.
  while ((await page.locator(".over").count()) > 0) await page.waitForTimeout(50);
  const allReadMs = Math.round(await page.evaluate<number>("performance.now()"));
  const interactions = [
    await interaction("drag to zoom", drag),
    await interaction("pan by a key", (on) => on.locator(".charts").press("ArrowRight")),
    await interaction("all steps", (on) => on.locator(".charts").press("0")),
    await interaction("smoothing", (on) => on.getByLabel(/^Smoothing/u).press("PageUp")),
    await interaction("log scale", (on) => on.getByLabel("Log scale").click()),
    await interaction("linear scale", (on) => on.getByLabel("Log scale").click()),
    await interaction("pointer across a chart", (on) =>
      on
        .locator(".line-chart > svg")
        .first()
        .hover({ position: { x: 150, y: 60 } }),
    ),
    await interaction("hide a line", (on) => on.locator(".legend button").first().click()),
  ];
  return { ...first, allReadMs, pageMB: pageMegabytes(), interactions };
}

try {
  const runs = await loaded("#/runs", ".runs tbody tr");
  const list = [
    await interaction("search in the list of runs", (on) =>
      on.getByLabel("Search").pressSequentially("gspo", { delay: 60 }),
    ),
    await interaction("sort", (on) => on.locator(".sort").nth(4).click()),
  ];
  const seeds = await charts("seeds");
  const lines = await charts("run");
  const episodes = await loaded("#/run/r1/episodes", ".row .question");
  const browsing = [
    await interaction("key down in 100,000 episodes", (on) => on.getByRole("listbox").press("ArrowDown")),
    await interaction("a page further", (on) => on.getByRole("listbox").press("PageDown")),
    await interaction("search in 100,000 episodes", (on) =>
      on.getByLabel("Search").pressSequentially("gerda", { delay: 60 }),
    ),
  ];
  print("machine", { ...machine(), chromium: browser.version(), ...sizes });
  print("runs", { ...runs, interactions: list });
  print("curves of seeds", seeds);
  print("curves of runs", lines);
  print("episodes", { ...episodes, pageMB: pageMegabytes(), interactions: browsing });
} finally {
  await browser.close();
  await server.close();
}
