// Does a critic help that sees what no agent sees? A hint knows a digit, a solver has to name its letter: by groups, by critics of the
// agent's own view, and by one of everything, at equal samples. Each has the same four learning rates, chosen on seeds of their own.
//   npx tsx bench/src/studies/critics.ts --out docs/results/critics.jsonl
import type { Engine, Estimator, Reward, TrainableModel } from "@laconic/core";
import { createInlineEngine, localPolicy } from "@laconic/engine";
import { gaeEstimator, modelCritic, type CriticView } from "@laconic/gspo/critics";
import { createKernels } from "@laconic/kernels-wasm";
import { evaluate, livePolicies, parseTrainConfig, silentRecorder, train, type TrainingParts } from "@laconic/trainer";
import { tinyTask, tinyTokenizer } from "@laconic/trainer/testing";
import { machine, print } from "../measure.ts";
import { readOptions } from "../options.ts";
import { keepRow } from "../rows.ts";

const { values: flags } = readOptions({
  options: {
    out: { type: "string" },
    seeds: { type: "string", default: "5" },
    tuning: { type: "string", default: "2" },
    steps: { type: "string", default: "30" },
    worlds: { type: "string", default: "hint,lucky hint" },
    arms: { type: "string", default: "group,own view,policy's layers,joint" },
  },
});
const rates = [3e-3, 1e-2, 3e-2, 1e-1];
const criticRate = 1e-2;
const episodes = 48;
const arms = ["group", "own view", "policy's layers", "joint"] as const;
type Arm = (typeof arms)[number];

const layers = {
  model_type: "llama",
  vocab_size: tinyTokenizer.vocabularySize,
  hidden_size: 24,
  intermediate_size: 48,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  num_key_value_heads: 2,
  max_position_embeddings: 48,
  initializer_range: 0.2,
};

/** What a problem pays beside its grade, whatever is said: no agent sees it. */
const luckOf = (id: string): number => (Number(id.split("-").at(-1)) % 2 === 0 ? 2 : -2);
const lucky: Reward = ({ answer, problemId }, { gold }) => {
  const task = answer?.startsWith(gold) ? 1 : 0;
  return { team: { task, luck: luckOf(problemId) }, score: task };
};

/** The digit, who is to speak, the luck as a letter of the alphabet, and all that was said. */
function everything({ problem, agent, before }: CriticView): string {
  const luck = luckOf(problem.id) > 0 ? "A" : "B";
  return `${problem.views?.["hint"]}${agent === "hint" ? "C" : "?"}${luck}${before.map(({ text }) => text).join("")}`;
}

async function estimatorOf(arm: Arm, engine: Engine, policy: TrainableModel, seed: number): Promise<Estimator> {
  const model = await engine.createValueModel(
    arm === "policy's layers" ? { kind: "trunk", policy } : { kind: "config", config: layers, seed: `critic ${seed}` },
  );
  const { encode } = tinyTokenizer;
  const critic = modelCritic({
    model,
    encode,
    learningRate: criticRate,
    minibatch: episodes,
    ...(arm === "joint" && { input: everything }),
  });
  return gaeEstimator({ gamma: 1, lambda: 1, critic });
}

interface Learned {
  /** Mean grade of all training episodes: how soon it learned. */
  readonly grade: number;
  /** Of the test problems at the end. */
  readonly accuracy: number;
}

async function learned(world: string, arm: Arm, rate: number, seed: number): Promise<Learned> {
  const engine = await createInlineEngine([await createKernels({})]);
  const model = await engine.createModel({ kind: "config", config: layers, seed });
  const isGrouped = arm === "group";
  const parts: TrainingParts = {
    task: tinyTask("star"),
    policies: {
      policy: {
        model,
        agents: ["hint", "solver"],
        speak: (sampler) => localPolicy({ id: "policy", sampler, tokenizer: tinyTokenizer }),
      },
    },
    ...(world === "lucky hint" && { reward: lucky }),
    ...(!isGrouped && { estimator: await estimatorOf(arm, engine, model, seed) }),
  };
  const config = parseTrainConfig({
    seed,
    steps: Number(flags.steps),
    problemsPerStep: isGrouped ? episodes / 8 : episodes,
    episodesPerProblem: isGrouped ? 8 : 1,
    groupBy: "prompt+agent",
    objective: { name: "gspo", clip: { low: 0.2, high: 0.2 } },
    advantage: isGrouped ? { estimator: "group", scale: "none" } : { estimator: "raw" },
    prices: {},
    optimizer: { learningRate: { peak: rate, warmUpSteps: 0, decay: "constant", finalFraction: 1 } },
    evaluation: { every: 0, problems: 1, transcripts: 0 },
    divergence: null, // a rate that is too high is a result
  });
  const grades: number[] = [];
  const recorder = silentRecorder((metrics) => grades.push(metrics["task/accuracy"] as number));
  await train({ ...parts, settings: config, recorder });
  const options = { seed: "critics", step: config.steps, problems: 30, sampling: config.sampling } as const;
  const { evaluation } = await evaluate(parts, livePolicies(parts), options);
  await engine.close();
  return { grade: mean(grades), accuracy: evaluation.accuracy };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function keep(row: Record<string, unknown>): void {
  print("critics", row);
  keepRow(flags.out, row);
}

print("machine", machine());
for (const world of flags.worlds.split(","))
  for (const arm of arms.filter((each) => flags.arms.split(",").includes(each))) {
    let best = { rate: 0, grade: -Infinity };
    for (const rate of rates) {
      const found: Learned[] = [];
      for (let seed = 100; seed < 100 + Number(flags.tuning); seed++) found.push(await learned(world, arm, rate, seed));
      const grade = mean(found.map((each) => each.grade));
      keep({ phase: "tuning", world, arm, rate, grade, accuracy: mean(found.map(({ accuracy }) => accuracy)) });
      if (grade > best.grade) best = { rate, grade };
    }
    for (let seed = 0; seed < Number(flags.seeds); seed++)
      keep({ phase: "test", world, arm, rate: best.rate, seed, ...(await learned(world, arm, best.rate, seed)) });
  }
