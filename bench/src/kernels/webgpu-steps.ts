// What a training step and a decode step ask of WebGPU: dispatches, buffers made, bytes up and back, and the CPU seconds of the
// process, which on a software adapter computes the shaders too; and the bytes of the buffers that are there afterwards, those
// kept for reuse among them. With weights and caches in float32 and in float16, on one adapter in one run. `laconic doctor
// --enable webgpu` first. `npx tsx bench/src/kernels/webgpu-steps.ts [FOLDER of the devices]`
import { createRequire } from "node:module";
import { join } from "node:path";
import type { SampleRequest, TrainableModel } from "@laconic/core";
import { randomFromSeed } from "@laconic/core";
import { createInlineEngine } from "@laconic/engine";
import { createKernels } from "@laconic/kernels-webgpu";
import { machine, print } from "../measure.ts";
import { geometryConfig } from "../model-geometry.ts";
import { again } from "../processes.ts";
import { readWords } from "../options.ts";

const [folder = process.env["LACONIC_DEVICES"], only] = readWords();
if (folder === undefined) throw new Error("name the folder of the devices, or set LACONIC_DEVICES");

const [rows, promptTokens, newTokens] = [16, 12, 9];
const sizes = [
  { name: "0.1M, the quickstart's", hidden: 64, layers: 2, heads: 4, kvHeads: 4, feedForward: 192, vocabulary: 47 },
  { name: "4.7M", hidden: 256, layers: 6, heads: 8, kvHeads: 4, feedForward: 768, vocabulary: 64 },
] as const;

if (only === undefined) {
  print("machine", machine());
  // Calls are counted from the start of a process.
  for (const dtype of ["float32", "float16"]) again(import.meta.filename, folder, dtype);
} else {
  const modules = join(folder, "webgpu");
  const { globals } = (await import(createRequire(join(modules, "package.json")).resolve("webgpu"))) as {
    readonly globals: Classes;
  };
  const counts = countCalls(globals);
  const held = countBytes(globals);
  const kernels = await createKernels({ modules, dtype: only });
  for (const size of sizes) {
    const engine = await createInlineEngine([{ ...kernels, dispose: () => undefined }]);
    const model = await engine.createModel({
      kind: "config",
      seed: "bench",
      config: { ...geometryConfig(size), model_type: "llama", initializer_range: 0.1 },
    });
    const measured = async (name: string, steps: number, run: () => Promise<unknown>): Promise<void> => {
      await run(); // shaders are compiled
      const [before, cpu] = [{ ...counts }, process.cpuUsage()];
      await run();
      const { user, system } = process.cpuUsage(cpu);
      const perStep = Object.entries(counts).map(([key, count]) => [
        key,
        (count - before[key as keyof typeof counts]) / steps,
      ]);
      print(name, {
        model: size.name,
        parameters: model.parameters,
        dtype: only,
        ...Object.fromEntries(perStep),
        bytesHeld: held(),
        cpuSeconds: (user + system) / 1e6 / steps,
        backend: kernels.backend,
      });
    };
    // A reply's first token comes from its prompt's pass; the others take a decode step each.
    await measured("decode step, 16 rows", newTokens - 1, () => sample(model));
    await measured("training step, 4 sequences of 24 tokens", 1, () => train(model));
    await engine.close();
  }
  process.exit(0);
}

async function sample(model: TrainableModel): Promise<void> {
  await model.sample(
    sequences(promptTokens).map((tokens, row): SampleRequest => ({
      promptTokens: tokens,
      sampling: { temperature: 1, maxTokens: newTokens },
      stopTokens: [],
      random: randomFromSeed(row).state(),
    })),
  );
}

async function train(model: TrainableModel): Promise<void> {
  const batch = sequences(24)
    .slice(0, 4)
    .map((tokens) => ({
      promptTokens: tokens.slice(0, promptTokens),
      completionTokens: tokens.slice(promptTokens),
    }));
  await model.forwardBackward(batch, ({ values }) => values.map(() => -1 / 4));
  await model.optimStep({
    learningRate: 1e-4,
    beta1: 0.9,
    beta2: 0.95,
    epsilon: 1e-8,
    weightDecay: 0,
    maxGradNorm: 1,
  });
}

function sequences(length: number): number[][] {
  const random = randomFromSeed("sequences");
  return Array.from({ length: rows }, () => Array.from({ length }, () => 2 + random.integer(40)));
}

/** Counts from now on, where every caller passes: at the methods of WebGPU's own classes. */
function countCalls(
  classes: Classes,
): Record<"dispatches" | "submits" | "buffersMade" | "bytesUp" | "bytesBack" | "reads", number> {
  const counts = { dispatches: 0, submits: 0, buffersMade: 0, bytesUp: 0, bytesBack: 0, reads: 0 };
  const watch = (kind: string, method: string, note: (given: readonly unknown[], self: object) => void): void => {
    const { prototype } = classes[kind] as Classes[string];
    const original = prototype[method] as Method;
    prototype[method] = function counted(this: object, ...given: readonly unknown[]): unknown {
      note(given, this);
      return Reflect.apply(original, this, given);
    };
  };
  const mapRead = 1;
  watch("GPUComputePassEncoder", "dispatchWorkgroups", () => (counts.dispatches += 1));
  watch("GPUQueue", "submit", () => (counts.submits += 1));
  watch("GPUQueue", "writeBuffer", ([, , data, , size]) => {
    counts.bytesUp += typeof size === "number" ? size : (data as ArrayBuffer).byteLength;
  });
  watch("GPUDevice", "createBuffer", ([given]) => {
    const { size, mappedAtCreation } = given as { readonly size: number; readonly mappedAtCreation?: boolean };
    counts.buffersMade += 1;
    if (mappedAtCreation) counts.bytesUp += size;
  });
  watch("GPUBuffer", "mapAsync", ([mode], self) => {
    if (mode !== mapRead) return;
    counts.reads += 1;
    counts.bytesBack += (self as { readonly size: number }).size;
  });
  return counts;
}

/** Bytes of the buffers that are there. */
function countBytes({ GPUDevice, GPUBuffer }: Classes): () => number {
  const [devices, buffers] = [GPUDevice, GPUBuffer].map((kind) => kind?.prototype as Record<string, Method>);
  if (!devices || !buffers) throw new Error("this package has no WebGPU");
  const there = new Map<object, number>();
  const { createBuffer } = devices;
  const { destroy } = buffers;
  devices["createBuffer"] = function made(...given) {
    const buffer = Reflect.apply(createBuffer as Method, this, given) as object;
    there.set(buffer, (given[0] as { readonly size: number }).size);
    return buffer;
  };
  buffers["destroy"] = function gone(...given) {
    there.delete(this);
    return Reflect.apply(destroy as Method, this, given);
  };
  return () => [...there.values()].reduce((sum, size) => sum + size, 0);
}

/** WebGPU's, by their names. */
type Classes = Readonly<Record<string, { readonly prototype: Record<string, Method> }>>;

type Method = (this: object, ...given: readonly unknown[]) => unknown;
