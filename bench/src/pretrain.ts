// Compares supervised steps of a base model with plain PyTorch and transformers: same weights, lessons, optimizer and
// one thread, in turns. Prints tokens per CPU second of both sides. Needs Python: LACONIC_PYTHON or .venv.
//
// npx tsx bench/src/pretrain.ts [--model reasoner] [--steps 20] [--batch 24] [--rounds 3]
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomFromSeed } from "@laconic/core";
import { createLocalEngine } from "@laconic/engine";
import { loadTokenizer } from "@laconic/hub/tokenizers";
import { torchKernels } from "@laconic/kernels-torch";
import { lessonStream, reasonerBase } from "@laconic/runtime";
import { openModelFolder } from "@laconic/runtime/models";
import { supervised, type WeightedSequence } from "@laconic/trainer";
import { machine, print, round3 } from "./measure.ts";
import { readOptions } from "./options.ts";
import { lastOf, peer, python } from "./processes.ts";

const { values: chosen } = readOptions({
  options: {
    model: { type: "string", default: "reasoner" },
    steps: { type: "string", default: "20" },
    batch: { type: "string", default: "24" },
    rounds: { type: "string", default: "3" },
  },
});
const [steps, batch, rounds] = [Number(chosen.steps), Number(chosen.batch), Number(chosen.rounds)];
process.env["LACONIC_PYTHON"] ??= python; // both sides use its libtorch
const silent = { note: () => undefined, download: () => () => undefined } as never;
const { folder } = await openModelFolder(chosen.model, silent);
const checkpoint = await mkdtemp(join(tmpdir(), "laconic-bench-"));
const engine = await createLocalEngine({ device: torchKernels({ device: "cpu", threads: 1 }) });
try {
  const model = await engine.createModel({ kind: "folder", path: folder });
  await model.save(checkpoint); // float32 for both sides
  const settings = { ...reasonerBase, seed: "bench", steps, batch, bareSteps: steps / 2 };
  const stream = lessonStream(settings, await loadTokenizer(folder, {}));
  const batches = await Promise.all(Array.from({ length: steps }, (_, step) => stream(step)));
  const job = batches.map((lessons) =>
    lessons.map(({ promptTokens, completionTokens, tokenWeights: weights }) => {
      return { tokens: [...promptTokens, ...completionTokens], weights };
    }),
  );
  const tokens = job.flat().reduce((sum, lesson) => sum + lesson.tokens.length, 0);
  print("machine", machine());
  for (let round = 0; round < rounds; round++) {
    const ours = await ourSide(batches);
    const theirs = lastOf(
      peer("pretrain.py", { checkpoint, threads: 1, batches: job }, { env: { OMP_NUM_THREADS: "1" } }),
    );
    if ("failed" in theirs) throw new Error(String(theirs["failed"]));
    const rate = (seconds: readonly number[]) => Math.round(tokens / seconds.reduce((sum, one) => sum + one, 0));
    const { seconds, losses, torch } = theirs as { seconds: number[]; losses: number[]; torch: string };
    print("pretrain", {
      round,
      parameters: model.parameters,
      tokens,
      ours: rate(ours.seconds),
      pytorch: rate(seconds),
      ratio: round3(rate(ours.seconds) / rate(seconds)),
      lossDifference: Math.max(...losses.map((loss, i) => Math.abs(loss - (ours.losses[i] ?? NaN)))),
      torch,
    });
  }
} finally {
  await engine.close();
  await rm(checkpoint, { recursive: true });
}

async function ourSide(
  batches: readonly (readonly WeightedSequence[])[],
): Promise<{ seconds: number[]; losses: number[] }> {
  const model = await engine.createModel({ kind: "folder", path: checkpoint });
  const [seconds, losses]: [number[], number[]] = [[], []];
  let before = process.cpuUsage();
  await supervised(model, {
    steps,
    batch: (step) => batches[step] ?? [],
    random: randomFromSeed(0),
    optimizerAt: () => ({
      learningRate: 1e-4,
      beta1: 0.9,
      beta2: 0.999,
      epsilon: 1e-8,
      weightDecay: 0,
      maxGradNorm: 1,
    }),
    onStep: (_, { loss }) => {
      const { user, system } = process.cpuUsage(before);
      seconds.push((user + system) / 1e6);
      losses.push(loss);
      before = process.cpuUsage();
    },
  });
  return { seconds, losses };
}
