/**
 * Does a pool of past proposers help the solver of `examples/self-play.ts`? Both trainings on the same seeds; then each last solver
 * meets the proposers of every fifth step of both.
 *
 *     npx tsx bench/src/studies/past-selves.ts [steps] [seeds] > docs/results/past-selves.jsonl
 */
import type { PolicySnapshot } from "@laconic/core";
import { createLocalEngine, localPolicy } from "@laconic/engine";
import { wasmKernels } from "@laconic/kernels-wasm";
import { relayTokenizer } from "@laconic/tasks";
import {
  evaluate,
  livePolicies,
  parseTrainConfig,
  silentRecorder,
  train,
  type TrainedPolicy,
  type TrainingParts,
} from "@laconic/trainer";
import { hardest, opponents } from "../../../examples/past-selves.ts";
import { settings, task } from "../../../examples/self-play.ts";
import { shipped } from "../processes.ts";
import { readWords } from "../options.ts";

const [steps = "40", seeds = "3"] = readWords();
const every = 5;

interface Trained {
  readonly parts: TrainingParts;
  readonly config: ReturnType<typeof parseTrainConfig>;
  /** By step. */
  readonly proposers: ReadonlyMap<number, PolicySnapshot>;
  readonly seconds: number;
}

const engine = await createLocalEngine({ device: wasmKernels(), workers: 1 });

async function trained(seed: number, pool: boolean): Promise<Trained> {
  const policy = async (agent: string): Promise<TrainedPolicy> => ({
    model: await engine.createModel({ kind: "folder", path: shipped }),
    agents: [agent],
    speak: (sampler) => localPolicy({ id: agent, sampler, tokenizer: relayTokenizer }),
  });
  const policies = { proposer: await policy("proposer"), solver: await policy("solver") };
  const parts: TrainingParts = { task, policies, ...(pool && { matchmaking: hardest }) };
  const own = pool ? { opponents: { ...opponents, matchmaking: "uniform", against: [] } } : {};
  const evaluation = { every: 0, problems: 20, transcripts: 0 };
  const config = parseTrainConfig({ ...settings, ...own, evaluation, divergence: null, steps: Number(steps), seed });
  const proposers = new Map([[0, await policies.proposer.model.snapshot()]]);
  const started = performance.now();
  const recorder = silentRecorder();
  await train({
    ...parts,
    settings: config,
    recorder: {
      ...recorder,
      async step({ step = 0 }) {
        if (step % every === 0) proposers.set(step, await policies.proposer.model.snapshot());
      },
    },
  });
  return { parts, config, proposers, seconds: (performance.now() - started) / 1000 };
}

/** Share of 100 test problems that a solver wins against a proposer. */
async function winRate({ parts, config }: Trained, proposer: PolicySnapshot): Promise<number> {
  const samplers = { ...livePolicies(parts), proposer };
  return (await evaluate(parts, samplers, { ...config, step: 0, problems: 100 })).evaluation.accuracy;
}

const mean = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length;

for (let seed = 0; seed < Number(seeds); seed++) {
  const arms = { latest: await trained(seed, false), pool: await trained(seed, true) };
  for (const [arm, solver] of Object.entries(arms)) {
    const against: Record<string, Record<string, number>> = {};
    for (const [other, { proposers }] of Object.entries(arms)) {
      const rates: Record<string, number> = {};
      for (const [step, proposer] of proposers) rates[step] = await winRate(solver, proposer);
      against[other] = rates;
    }
    const own = Object.values(against[arm] ?? {});
    const all = Object.values(against).flatMap((each) => Object.values(each));
    const figures = { mean: mean(all), worst: Math.min(...all), ownMean: mean(own), ownWorst: Math.min(...own) };
    console.log(JSON.stringify({ seed, arm, ...figures, last: own.at(-1), seconds: solver.seconds, against }));
  }
}
await engine.close();
