// The playground on WebGPU beside WebAssembly: the same steps on both, what each asks of the device and of the processor, and how
// far tokens, losses and gradients are apart. Fails where they are further apart than `tolerances`. On a machine without a graphics card
// Chromium computes WebGPU on the processor (SwiftShader): a step takes a minute. Prints lines of JSON.
// npx tsx bench/src/pages/playground-webgpu.ts [STEPS]
import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { openChromium } from "../../../packages/view/test/fixture/open-page.ts";
import { playgroundServer } from "../../../packages/view/test/fixture/playground-server.ts";
import { unzipped } from "../../../packages/view/web/playground/worker/archive.ts";
import { machine, print } from "../measure.ts";
import { now } from "../measure.ts";
import { readWords } from "../options.ts";

/**
 * Shares by which a step may differ. Sampled tokens are the same but where a random number falls between two to the last bits, which
 * changes an episode of 64. Sums of another order differ by 1e-6 in float32; the loss is a difference of almost equal sums.
 */
const tolerances: Readonly<Record<string, number>> = {
  "tokens/episode_mean": 0.01,
  "task/accuracy": 0.02,
  "actor/pg_loss": 0.001,
  "actor/entropy": 0.0001,
  "actor/grad_norm": 0.001,
};

/** Counts what the worker asks of WebGPU, at the methods of its classes. */
const counting = `(() => {
  const asked = (globalThis.asked = { dispatches: 0, submits: 0, pipelines: 0, buffersMade: 0, reads: 0 });
  const watch = (kind, method, key) => {
    const { prototype } = globalThis[kind];
    const original = prototype[method];
    prototype[method] = function (...given) {
      asked[key] += 1;
      return Reflect.apply(original, this, given);
    };
  };
  watch("GPUComputePassEncoder", "dispatchWorkgroups", "dispatches");
  watch("GPUQueue", "submit", "submits");
  watch("GPUDevice", "createComputePipeline", "pipelines");
  watch("GPUDevice", "createBuffer", "buffersMade");
  watch("GPUBuffer", "mapAsync", "reads");
})()`;

const steps = Number(readWords()[0] ?? 4);
const server = await playgroundServer();
const browser = await openChromium(["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"]);
try {
  print("machine", { ...machine(), chromium: browser.version() });
  const [wasm, webgpu] = [await run(browser, "wasm"), await run(browser, "webgpu")];
  for (const [name, tolerance] of Object.entries(tolerances)) {
    const [expected, actual] = [wasm, webgpu].map((rows) => rows.map((row) => row[name] as number)) as [
      number[],
      number[],
    ];
    const apart = Math.max(...expected.map((value, i) => difference(value, actual[i] as number)));
    print(name, { wasm: expected, webgpu: actual, apart, tolerance });
    if (!(apart <= tolerance)) process.exitCode = 1;
  }
} finally {
  await browser.close();
  server.close();
}

/** Of the larger one. */
function difference(a: number, b: number): number {
  return a === b ? 0 : Math.abs(a - b) / Math.max(Math.abs(a), Math.abs(b));
}

type Row = Readonly<Record<string, number>>;

/** Clicks through the steps one by one and reads the metrics out of the exported run. */
async function run(of: Browser, device: "wasm" | "webgpu"): Promise<readonly Row[]> {
  const page = await (await of.newContext()).newPage();
  page.on("worker", (worker) => void worker.evaluate(counting));
  const start = await now();
  await page.goto(`${server.address}?device=${device}&software&seed=1&steps=120`);
  const enabled = (name: string) => page.getByRole("button", { name, exact: true }).and(page.locator(":enabled"));
  await enabled("Train the team").waitFor({ timeout: 300_000 });
  let before = { at: await now(), counts: await counts(page) };
  const seconds = (since: typeof start, until: typeof start) => ({
    seconds: Number(((until.wall - since.wall) / 1000).toFixed(2)),
    cpuSeconds: Number((until.processor - since.processor).toFixed(2)),
  });
  print(`${device}: opened, one conversation sampled`, { ...seconds(start, before.at), ...before.counts });
  for (let step = 1; step <= steps; step++) {
    await enabled("One step").click();
    await page.getByText(`The team at step ${step}`).waitFor({ timeout: 600_000 });
    await enabled("Go on").waitFor({ timeout: 300_000 });
    const after = { at: await now(), counts: await counts(page) };
    const asked = Object.entries(after.counts).map(([key, count]) => [key, count - (before.counts[key] ?? 0)]);
    const what = step === 1 ? "100 test problems and step 1" : `step ${step}`;
    print(`${device}: ${what}`, { ...seconds(before.at, after.at), ...Object.fromEntries(asked) });
    before = after;
  }
  const [download] = await Promise.all([page.waitForEvent("download"), enabled("Export the run (.zip)").click()]);
  const files = unzipped(await readFile(await download.path()));
  await page.context().close();
  const text = new TextDecoder().decode(files.get("metrics.jsonl"));
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);
}

async function counts(page: Page): Promise<Record<string, number>> {
  const [worker] = page.workers();
  return worker ? await worker.evaluate<Record<string, number>>("globalThis.asked") : {};
}
