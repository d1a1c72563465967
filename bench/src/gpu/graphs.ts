// Decode steps of Qwen2.5-0.5B's geometry on a GPU, as CUDA graphs and operation by operation: whether capturing works, whether
// the replies are the same, seconds a step, and where the host's time goes. One JSON object a line; --small is a dry run.
// `npm run gpu:check -- --sections graphs` runs it.
//   graphs.ts [--small] [--device cpu]
import { createRequire } from "node:module";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { randomFromSeed, type SampleRequest, type SampleResult } from "@laconic/core";
import { sizeOf, type Kernels } from "@laconic/engine/kernels";
import { halfBillion, small } from "./geometry.ts";
import { machine, print } from "../measure.ts";
import { readOptions } from "../options.ts";

const { values: flags } = readOptions({
  options: { small: { type: "boolean", default: false }, device: { type: "string", default: "cuda" } },
});
const job = flags.small ? small : halfBillion;
const [prompt, tokens] = flags.small ? [8, 12] : [64, 96];
const rowCounts = flags.small ? [1, 3, 4] : [1, 64, 256];

/** Milliseconds and calls of each C function. */
const native = new Map<string, { calls: number; ms: number }>();
await clockNativeCalls();
// Behind the clock.
const { createKernels, findTorch } = await import("@laconic/kernels-torch");
const engine = import.meta.resolve("@laconic/engine");
const { RunningBatch } = (await import(
  new URL("./generation/running-batch.ts", engine).href
)) as typeof import("../../../packages/engine/src/generation/running-batch.ts");
const { uploadModel } = (await import(
  new URL("./transformer/model-on-device.ts", engine).href
)) as typeof import("../../../packages/engine/src/transformer/model-on-device.ts");
const { parseModelConfig, parameterShapes } = await import("@laconic/engine");

print("machine", { ...machine(), torch: findTorch().version });
const cuda = flags.device === "cuda";
const kernels = await createKernels({
  device: flags.device,
  ...(cuda && { dtype: "bfloat16", graphs: true }),
});
const { recorder, ...plain } = kernels;
print("kernels", { backend: kernels.backend, recorder: recorder !== undefined, memory: kernels.memory() });
await attempt("capture", capture);
if (cuda) await attempt("conformance", conformance);

const config = parseModelConfig(job.config);
const opening = performance.now();
const model = uploadModel(kernels, config, weights());
print("model", { seconds: seconds(opening), memory: kernels.memory() });
await attempt("sampling kinds", samplingKinds);
for (const rows of rowCounts) await attempt(`${rows} rows`, () => compare(rows));
print("counts", { ...recorder?.counts, memory: kernels.memory() });

async function attempt(what: string, body: () => Promise<void>): Promise<void> {
  const start = performance.now();
  try {
    await body();
  } catch (error) {
    print(what, { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
  print("time", { of: what, seconds: seconds(start) });
}

async function conformance(): Promise<void> {
  const { recorderCases } = await import("@laconic/engine/testing");
  const failures: string[] = [];
  for (const item of recorderCases)
    await item
      .run(() => createKernels({ device: flags.device, dtype: "bfloat16", graphs: true }))
      .catch((error: unknown) => failures.push(`${item.name}: ${String(error).slice(0, 300)}`));
  print("conformance", { passed: recorderCases.length - failures.length, failures });
}

/** A product and a counter, recorded and replayed. */
async function capture(): Promise<void> {
  if (!recorder) return print("capture", { skipped: "there is no recorder" });
  const [x, w] = [0, 1].map((seed) =>
    kernels.upload(
      Float32Array.from({ length: 64 }, (_, i) => Math.sin(i + seed)),
      [8, 8],
    ),
  ) as [ReturnType<Kernels["upload"]>, ReturnType<Kernels["upload"]>];
  const sum = kernels.zeros([8, 8]);
  const count = kernels.upload(Int32Array.of(0, 0), [2]);
  const body = (): void => {
    kernels.linearOnto(sum, x, w);
    kernels.advance(count, 1);
  };
  recorder.rehearse(body);
  const recording = recorder.record(body);
  const replayed = [recording?.replay(), recording?.replay()];
  const expected = kernels.linear(x, w);
  const [got, counted, wanted] = [await kernels.read(sum), await kernels.read(count), await kernels.read(expected)];
  print("capture", {
    recorded: recording !== null,
    replayed,
    counted: [...counted],
    /** Four runs of four, where bfloat16 rounds a sum. */
    worst: Math.max(...Array.from(got, (value, i) => Math.abs(value - 4 * (wanted[i] as number)))),
    refused: recorder.counts.refused,
  });
  recording?.free();
  kernels.free(x, w, sum, count, expected);
}

/** Whether replies of every kind of sampling are the same, with rows that are rounded up too. */
async function samplingKinds(): Promise<void> {
  const kinds: readonly Omit<SampleRequest["sampling"], "maxTokens">[] = [
    { temperature: 0 },
    { temperature: 0.7 },
    { temperature: 1, topK: 20, minP: 0.05 },
    { temperature: 1, topK: 50, topP: 0.9 },
    { temperature: 1, topP: 0.9 },
  ];
  for (const sampling of kinds)
    for (const rows of [4, 3]) {
      const requests = requestsOf(rows, 12).map((request) => ({
        ...request,
        sampling: { ...sampling, maxTokens: 12 },
      }));
      const [graphs, launches] = [await generate(kernels, requests), await generate(plain, requests)];
      print("sampling kinds", { sampling, rows, ...difference(graphs.results, launches.results) });
    }
}

async function compare(rows: number): Promise<void> {
  const requests = requestsOf(rows, tokens);
  // What is made at first use is there.
  await generate(plain, requestsOf(rows, 8));
  const launches = await generate(plain, requests);
  const graphs = await generate(kernels, requests);
  print("same replies", { rows, ...difference(graphs.results, launches.results) });
  for (const [what, { step, worst, total, calls }] of [
    ["launches", launches],
    ["graphs", graphs],
  ] as const) {
    print("decode step", { rows, what, ms: step, worstMs: worst, seconds: total / 1000, tokens });
    const all = [...calls.values()];
    const sum = (key: "calls" | "ms"): number => all.reduce((total_, each) => total_ + each[key], 0);
    print("native calls a step", { rows, what, calls: sum("calls"), ms: sum("ms") });
    const most = [...calls].toSorted(([, a], [, b]) => b.ms - a.ms).slice(0, 14);
    print("native functions", {
      rows,
      what,
      ...Object.fromEntries(most.map(([name, { calls: count, ms }]) => [name, [round(count), round(ms)]])),
    });
  }
  print("counts", { rows, ...recorder?.counts, memory: kernels.memory() });
}

interface Generated {
  readonly results: SampleResult[];
  /** Median milliseconds of a step, the slowest, and the whole. */
  readonly step: number;
  readonly worst: number;
  readonly total: number;
  /** Of one step. */
  readonly calls: Map<string, { calls: number; ms: number }>;
}

async function generate(set: Kernels, requests: readonly SampleRequest[]): Promise<Generated> {
  const batch = new RunningBatch({ ...model, kernels: set });
  const moments: number[] = [];
  const first = 8;
  const start = performance.now();
  const results = await batch.sample(requests, 1, () => {
    moments.push(performance.now());
    if (moments.length === first) native.clear();
  });
  const total = performance.now() - start;
  const steps = moments.slice(first).map((moment, i) => moment - (moments[first + i - 1] as number));
  const ordered = steps.toSorted((a, b) => a - b);
  const calls = new Map(
    Array.from(native, ([name, spent]) => [name, { calls: spent.calls / steps.length, ms: spent.ms / steps.length }]),
  );
  native.clear();
  return {
    results,
    total,
    step: ordered[Math.floor(ordered.length / 2)] ?? Number.NaN,
    worst: ordered.at(-1) ?? Number.NaN,
    calls,
  };
}

function difference(a: readonly SampleResult[], b: readonly SampleResult[]): Record<string, unknown> {
  let differing = 0;
  let firstToken = -1;
  let worstLogProb = 0;
  let exact = true;
  a.forEach((result, i) => {
    const other = b[i] as SampleResult;
    const at = result.tokens.findIndex((token, t) => token !== other.tokens[t]);
    if (at >= 0) differing += 1;
    if (at >= 0 && (firstToken < 0 || at < firstToken)) firstToken = at;
    const until = at < 0 ? result.tokens.length : at;
    for (let t = 0; t < until; t++) {
      const gap = Math.abs((result.logProbs[t] as number) - (other.logProbs[t] as number));
      if (gap > 0) exact = false;
      worstLogProb = Math.max(worstLogProb, gap);
    }
  });
  return { replies: a.length, differing, firstToken, worstLogProb, exact };
}

function requestsOf(rows: number, maxTokens: number): SampleRequest[] {
  const random = randomFromSeed("decode");
  return Array.from({ length: rows }, (_, row) => ({
    promptTokens: Array.from({ length: prompt + (row % 5) }, () => random.integer(config.vocabularySize)),
    sampling: { temperature: 1, maxTokens },
    stopTokens: [],
    random: random.split(row).state(),
  }));
}

/** Values of about the usual spread; drawing half a billion normal numbers would take a minute. */
function weights(): Map<string, Float32Array> {
  const shapes = parameterShapes(config);
  const values = new Float32Array(Math.max(...Array.from(shapes.values(), sizeOf)));
  let state = 1;
  for (let i = 0; i < values.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    values[i] = (state / 2 ** 31) * 0.035;
  }
  return new Map(
    Array.from(shapes, ([name, shape], i) => {
      if (/norm/.test(name)) return [name, new Float32Array(sizeOf(shape)).fill(1)];
      const start = (i * 7919) % (values.length - sizeOf(shape) + 1);
      return [name, values.subarray(start, start + sizeOf(shape))];
    }),
  );
}

/** Puts a clock around every C function that is bound from now on. */
async function clockNativeCalls(): Promise<void> {
  const near = createRequire(fileURLToPath(import.meta.resolve("@laconic/kernels-torch")));
  const { default: koffi } = (await import(near.resolve("koffi").replace(/index\.cjs$/, "index.js"))) as {
    default: { load(...args: unknown[]): { func(...args: unknown[]): (...args: unknown[]) => unknown } };
  };
  const { load } = koffi;
  koffi.load = (...args) => {
    const library = load(...args);
    const func = library.func.bind(library);
    return {
      func: (...declaration: unknown[]) => {
        const bound = func(...declaration);
        const name = /(\w+)\(/.exec(String(declaration[0]))?.[1] ?? String(declaration[0]);
        return (...given: unknown[]) => {
          const start = performance.now();
          const result = bound(...given);
          const spent = native.get(name) ?? { calls: 0, ms: 0 };
          native.set(name, spent);
          spent.calls += 1;
          spent.ms += performance.now() - start;
          return result;
        };
      },
    };
  };
}

function seconds(start: number): number {
  return (performance.now() - start) / 1000;
}

function round(value: number): number {
  return Math.round(1e4 * value) / 1e4;
}
