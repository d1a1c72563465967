/**
 * Whether `laconic view` grows: four tabs (story, curves, who speaks, conversations) stay open on a run that is being trained, and each minute's
 * memory of the server and of the tabs is a line of JSON. The trainer works a fifth of the time, so that others have the machine.
 *
 *     npx tsx bench/src/pages/view-growth.ts [MINUTES]
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { CDPSession, Page } from "playwright-core";
import { openChromium } from "../../../packages/view/test/fixture/open-page.ts";
import { machine, print } from "../measure.ts";
import { stepsIn, trainer } from "../soak/roles.ts";
import { mebibytes, rowsIn, startWatched, type Sample } from "../soak/watched.ts";
import { readWords } from "../options.ts";

const minutes = Number(readWords()[0] ?? 60);
const parts = ["", "/curves", "/speech", "/episodes"];
/** Milliseconds that the trainer works, of each so many. */
const work = { of: 5000, for: 1000 } as const;

const folder = await mkdtemp(join(tmpdir(), "laconic-view-growth-"));
const run = join(folder, "runs/train");
const training = startWatched(trainer(run).words(1), join(folder, "train.jsonl"));
const browser = await openChromium();
const processes = await browser.newBrowserCDPSession();
const samples = join(folder, "view.jsonl");
let viewing: ReturnType<typeof startWatched> | null = null;
try {
  while (stepsIn(run) < 5) {
    if (training.child.exitCode !== null) throw new Error(training.said());
    await pause(500);
  }
  viewing = startWatched(["view", run, "--port", "0"], samples);
  const address = await viewing.saysAddress();
  const [{ id }] = (await (await fetch(`${address}/api/runs`)).json()) as [{ readonly id: string }];
  const tabs = await Promise.all(parts.map((part) => tab(`${address}/dashboard/#/run/${id}${part}`)));
  print("machine", { ...machine(), chromium: browser.version(), minutes });
  const begun = performance.now();
  for (let minute = 1; minute <= minutes; minute++) {
    await trainUntil(begun + 60_000 * minute);
    const { rss = 0, heapUsed = 0 } = rowsIn<Sample>(samples).at(-1) ?? {};
    const pages = [];
    for (const { devtools } of tabs) pages.push(await pageMemory(devtools));
    print("minute", {
      minute,
      step: stepsIn(run),
      serverMiB: mebibytes(rss),
      serverHeapMiB: mebibytes(heapUsed),
      pagesHeapMiB: pages.map(({ heap }) => mebibytes(heap)),
      pagesNodes: pages.map(({ nodes }) => nodes),
      renderersMiB: await renderersMiB(),
    });
  }
} finally {
  await browser.close();
  for (const each of [training, viewing]) each?.child.kill("SIGCONT");
  for (const each of [training, viewing]) each?.child.kill("SIGKILL");
  await Promise.all([training.ended, viewing?.ended]);
  await rm(folder, { recursive: true });
}

async function tab(address: string): Promise<{ readonly page: Page; readonly devtools: CDPSession }> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, reducedMotion: "reduce" });
  await page.goto(address);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable");
  return { page, devtools };
}

/** A process that is stopped by turns takes little of a machine, and its run grows all the same. */
async function trainUntil(end: number): Promise<void> {
  while (performance.now() < end) {
    training.child.kill("SIGCONT");
    await pause(work.for);
    training.child.kill("SIGSTOP");
    await pause(Math.min(work.of - work.for, Math.max(0, end - performance.now())));
  }
}

/** Behind a collection: what is left is held. */
async function pageMemory(devtools: CDPSession): Promise<{ readonly heap: number; readonly nodes: number }> {
  await devtools.send("HeapProfiler.collectGarbage");
  const { metrics } = await devtools.send("Performance.getMetrics");
  const of = (name: string): number => metrics.find((metric) => metric.name === name)?.value ?? 0;
  return { heap: of("JSHeapUsedSize"), nodes: of("Nodes") };
}

/** Resident memory of the browser's processes that hold pages, together. */
async function renderersMiB(): Promise<number> {
  const { processInfo } = await processes.send("SystemInfo.getProcessInfo");
  const statuses = await Promise.all(
    processInfo
      .filter(({ type }) => type === "renderer")
      .map(({ id }) => readFile(`/proc/${id}/status`, "utf8").catch(() => "")),
  );
  return Math.round(statuses.reduce((sum, text) => sum + Number(/VmRSS:\s+(\d+)/u.exec(text)?.[1] ?? 0), 0) / 1024);
}
