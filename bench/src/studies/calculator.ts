// A solver learns to ask a calculator only when it needs to: the shipped policy after a warm start that asks mostly, then reinforcement
// learning at a price per call. A line of JSON for each seed, before and after, by group of test problems.
//   npx tsx bench/src/studies/calculator.ts --seeds 0-2 --out docs/results/calculator.jsonl
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomFromSeed } from "@laconic/core";
import { createLocalEngine, localPolicy, repeatableBatching } from "@laconic/engine";
import { wasmKernels } from "@laconic/kernels-wasm";
import { calculatorExamples, calculatorTask } from "@laconic/tasks/tools";
import {
  evaluate,
  livePolicies,
  onePolicy,
  openRun,
  parseTrainConfig,
  supervised,
  train,
  type Evaluation,
} from "@laconic/trainer";
import { machine, print } from "../measure.ts";
import { shipped } from "../processes.ts";
import { readOptions } from "../options.ts";
import { keepRow, seedsOf } from "../rows.ts";

const { values: flags } = readOptions({
  options: {
    seeds: { type: "string", default: "0-2" },
    out: { type: "string" },
    price: { type: "string", default: "0.2" },
    warm: { type: "string", default: "800" },
    steps: { type: "string", default: "160" },
  },
});
print("machine", machine());

interface Figures {
  readonly accuracy: number;
  readonly calls: number;
}

function figuresOf({ groups = {} }: Evaluation): Record<string, Figures> {
  return Object.fromEntries(
    Object.entries(groups).map(([name, { accuracy, measures }]) => [
      name,
      { accuracy, calls: measures?.["calls"] ?? 0 },
    ]),
  );
}

async function trained(seed: number): Promise<Record<string, unknown>> {
  const engine = await createLocalEngine({ device: wasmKernels() });
  const batching = repeatableBatching(engine.capabilities);
  const model = await engine.createModel({ kind: "folder", path: shipped });
  const task = calculatorTask({ price: Number(flags.price) });
  const parts = onePolicy(task, model, (sampler) =>
    localPolicy({ id: model.id, sampler, tokenizer: task.tokenizer, batching }),
  );
  const started = performance.now();
  await supervised(model, {
    steps: Number(flags.warm),
    batch: (_, random) => calculatorExamples(32, random),
    random: randomFromSeed(`calculator/${seed}`),
    optimizer: { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 },
    learningRate: { peak: 3e-3, warmUpSteps: 20, decay: "cosine", finalFraction: 0.05 },
  });
  const warmSeconds = Math.round((performance.now() - started) / 1000);
  const config = parseTrainConfig({
    seed,
    steps: Number(flags.steps),
    problemsPerStep: 16,
    episodesPerProblem: 8,
    minibatches: 2,
    oldLogProbs: "sampler",
    objective: { name: "gspo", clip: { low: 0.03, high: 0.04 } },
    advantage: { estimator: "group", scale: "none" },
    budget: null,
    prices: {},
    optimizer: { learningRate: { peak: 3e-4, warmUpSteps: 5, decay: "cosine", finalFraction: 0.05 } },
    evaluation: { every: 1000, problems: 1 },
    checkpoint: { every: 1000 },
  });
  const measured = async (step: number): Promise<Record<string, Figures>> => {
    const options = { seed: "calculator", step, split: "test", problems: 200, sampling: config.sampling } as const;
    return figuresOf((await evaluate(parts, livePolicies(parts), options)).evaluation);
  };
  const before = await measured(0);
  print("before", { seed, warmSeconds, ...before });
  const directory = join(await mkdtemp(join(tmpdir(), "laconic-calculator-")), "run");
  const run = await openRun({
    directory,
    environment: {},
    keepCheckpoints: 1,
    now: () => performance.now(),
    config: { ...config },
  });
  await train({ ...parts, settings: config, recorder: run });
  await run.close();
  await rm(directory, { recursive: true });
  const after = await measured(config.steps);
  await engine.close();
  const seconds = Math.round((performance.now() - started) / 1000);
  return { seed, price: Number(flags.price), before, after, warmSeconds, seconds };
}

for (const seed of seedsOf(flags.seeds)) {
  const row = await trained(seed);
  print("calculator", row);
  keepRow(flags.out, row);
}
