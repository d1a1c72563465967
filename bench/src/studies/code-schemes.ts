// Which of MAGRPO's ways of working together a trained pair of programmers ends with. A helper writes `aux`, a main programmer `f`, a line
// of Python a token; a model of two layers is taught every way alike, with helpers half of which fail, and then both learn by MAGRPO from
// `cooperationReward`: as it is, with as many points for any call, or without points for cooperation. A line of JSON for each seed and
// reward, of test problems; rows that FILE has are not made again.
//   npx tsx bench/src/studies/code-schemes.ts --seeds 0-4 --out docs/results/code-schemes.jsonl
import { randomFromSeed, type Problem, type Random, type Tokenizer, type TrainingSequence } from "@laconic/core";
import { createLocalEngine, localPolicy } from "@laconic/engine";
import { wasmKernels } from "@laconic/kernels-wasm";
import { createSandbox } from "@laconic/sandbox";
import { textsOf } from "@laconic/tasks";
import { synchronousTurns, type JointGame } from "@laconic/topologies";
import {
  evaluate,
  supervised,
  train,
  type Evaluation,
  type TrainedPolicy,
  type TrainSettings,
  type TrainingParts,
} from "@laconic/trainer";
import { cooperationReward, cooperationSchemes, type CooperationReward } from "@laconic/worlds/text";
import { readOptions } from "../options.ts";
import { keptRows, printRow, seedsOf } from "../rows.ts";

const { values: flags } = readOptions({
  options: {
    seeds: { type: "string", default: "0-4" },
    steps: { type: "string", default: "40" },
    out: { type: "string" },
  },
});
const rows = keptRows<{ readonly seed: number; readonly pays: string }>(flags.out);
const done = new Set(rows.map(({ seed, pays }) => `${seed}/${pays}`));

// Tokens: marks, then lines.
const conditions = ["x > 0", "x < 0", "x % 2 == 0", "x % 2 == 1"];
const values = ["sum(ys)", "len(ys)", "max(ys, default=0)", "min(ys, default=0)"];
const marks = ["<end>", "<aux>", "<main>", ...conditions, ...values];
const [defAux, all, fails, defMain] = [
  "def aux(xs):\n",
  "    return xs\n",
  "    return xs[99]\n",
  "def f(xs):\n",
] as const;
const [guard, calls] = ["    if not xs:\n        return 0\n", "    ys = aux(xs)\n"] as const;
const inParts = "    ys = [y for x in xs for y in aux([x])]\n";
const tries = "    try:\n        ys = aux(xs)\n    except Exception:\n    ";
const [asks, otherwise] = ["    if aux(xs):\n    ", "    else:\n        ys = []\n"] as const;
const own = (condition: string): string => `    ys = [x for x in xs if ${condition}]\n`;
const help = (condition: string): string => `    return [x for x in xs if ${condition}]\n`;
const result = (value: string): string => `    return ${value}\n`;
const lines = [defAux, all, fails, defMain, guard, calls, inParts, tries, asks, otherwise];
const spelled = [...marks, ...lines, ...conditions.map(own), ...conditions.map(help), ...values.map(result)];
const idsOf = (...pieces: readonly string[]): number[] => pieces.map((piece) => spelled.indexOf(piece));
const tokenizer: Tokenizer = {
  vocabularySize: spelled.length,
  endToken: 0,
  encode: (text) => idsOf(text),
  decode: (tokens) => tokens.flatMap((id) => (id < marks.length ? [] : [spelled[id]])).join(""),
};

/** The sum, count, largest or smallest of those that fit a condition; a condition and a value may be new together, never alone. */
const problems = conditions.flatMap((condition, i) =>
  values.map((value, j): Problem & { readonly split: number } => {
    return { id: `${value} of ${condition}`, question: `${condition}|${value}`, gold: value, split: (i + j) % 4 };
  }),
);
const copies = (split: number, count: number): Problem[] =>
  problems
    .filter((problem) => problem.split === split)
    .flatMap(({ id, question, gold }) =>
      Array.from({ length: count }, (_, i) => ({ id: `${id} ${i}`, question, gold })),
    );
const training = problems.filter(({ split }) => split > 1);
const prompt = (role: string, question: string): number[] => idsOf(role, ...question.split("|"));

/** A helper that works, half of the time; a main function in one of six ways, at times for another value. */
function examples(random: Random): TrainingSequence[] {
  const { question } = random.pick(training);
  const [condition = "", value = ""] = question.split("|");
  const works = random.uniform() < 0.5;
  const aux = [defAux, works ? help(condition) : random.pick([all, fails])];
  const ways = [
    [calls],
    [tries, own(condition)],
    [guard, calls],
    [inParts],
    [asks, own(condition), otherwise],
    [own(condition)],
  ];
  const main = [defMain, ...random.pick(ways), result(random.uniform() < 0.8 ? value : random.pick(values))];
  const said = (role: string, reply: readonly string[]): TrainingSequence => {
    return { promptTokens: prompt(role, question), completionTokens: [...idsOf(...reply), 0] };
  };
  return [said("<aux>", aux), said("<main>", main)];
}

const sandbox = await createSandbox();
const judged = new Map<string, Promise<CooperationReward>>();
/** One assert, of four lists, with Python's own arithmetic: a program takes three runs of the sandbox. */
function judge([aux, main]: readonly [string, string], { question }: Problem): Promise<CooperationReward> {
  const [condition = "", value = ""] = question.split("|");
  const test = [
    "def check(candidate):",
    "    data = [[], [3, -2, 8], [7, 6, 1, -5], [-1, -4]]",
    "    def wanted(xs):",
    `        ys = [x for x in xs if ${condition}]`,
    `        return ${value}`,
    "    assert [candidate(xs) for xs in data] == [wanted(xs) for xs in data]",
  ];
  const tests = { prompt: "", entryPoint: "f", test: test.join("\n") };
  const key = `${question}\n${aux}\n${main}`;
  const now = judged.get(key) ?? cooperationReward({ aux, main }, tests, sandbox);
  judged.set(key, now);
  return now;
}

/** What the points for cooperation become: 1.5 for a call whose result is used, 0.5 where two statements are all. */
const rewards = {
  all: (points: number) => points,
  "no cooperation": () => 0,
  "any call": (points: number) => (points > 0 ? 1.5 : 0),
} as const;

const player = (id: string, role: string): JointGame["players"][number] => ({
  id,
  maxTokens: 8,
  prompt: (chat) => ({ kind: "tokens", tokens: prompt(role, chat[0]?.content ?? "") }),
});
const game: JointGame = {
  players: [player("helper", "<aux>"), player("main", "<main>")],
  turns: 1,
  transition: ({ question }) => [question, question],
};
const taskFor = (pays: keyof typeof rewards): TrainingParts["task"] => ({
  name: "code-lines",
  topology: synchronousTurns(game.players, game),
  game,
  reward: async (episode, problem) => {
    const { reward, terms, schemes } = await judge(textsOf(episode, ["helper", "main"]), problem);
    const { cooperation } = terms;
    const points = reward - cooperation + rewards[pays](cooperation);
    const seen = cooperationSchemes.map((scheme): [string, number] => [scheme, schemes.includes(scheme) ? 1 : 0]);
    const measures = { ...terms, none: schemes.length === 0 ? 1 : 0, ...Object.fromEntries(seen) };
    return { team: { task: Math.max(0, points / (2.5 + rewards[pays](1.5))) }, measures };
  },
  problems: (random, count) => Array.from({ length: count }, () => random.pick(training)),
  validation: copies(0, 6),
  testProblems: copies(1, 32),
});

const engine = await createLocalEngine({ device: wasmKernels(), workers: 1 });
const adam = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 };

async function taught(seed: number): Promise<TrainedPolicy["model"]> {
  const sizes = { vocab_size: spelled.length, hidden_size: 32, num_hidden_layers: 2, intermediate_size: 64 };
  const heads = {
    num_attention_heads: 4,
    num_key_value_heads: 4,
    max_position_embeddings: 64,
    tie_word_embeddings: true,
  };
  const numbers = { rms_norm_eps: 1e-6, rope_theta: 10_000, initializer_range: 0.1, hidden_act: "silu" };
  const kind = { model_type: "llama", architectures: ["LlamaForCausalLM"], bos_token_id: null, eos_token_id: 0 };
  const model = await engine.createModel({ kind: "config", seed, config: { ...kind, ...sizes, ...heads, ...numbers } });
  await supervised(model, {
    steps: 200,
    batch: (_, random) => Array.from({ length: 32 }, () => examples(random)).flat(),
    random: randomFromSeed(`code-schemes/${seed}`),
    optimizer: adam,
    learningRate: { peak: 0.01, warmUpSteps: 10, decay: "cosine", finalFraction: 0.1 },
  });
  return model;
}

for (const seed of seedsOf(flags.seeds))
  for (const pays of Object.keys(rewards) as (keyof typeof rewards)[]) {
    if (done.has(`${seed}/${pays}`)) continue;
    const start = performance.now();
    const [helper, main] = [await taught(seed), await taught(seed)];
    const policy = (model: TrainedPolicy["model"], agent: string): TrainedPolicy => {
      return { model, agents: [agent], speak: (sampler) => localPolicy({ id: agent, sampler, tokenizer }) };
    };
    const parts = { task: taskFor(pays), policies: { helper: policy(helper, "helper"), main: policy(main, "main") } };
    const settings: TrainSettings = {
      seed,
      steps: Number(flags.steps),
      problemsPerStep: 8,
      episodesPerProblem: 8,
      minibatches: 1,
      objective: { name: "magrpo" },
      advantage: { estimator: "group", scale: "none" },
      groupBy: "tree-node",
      tree: { mode: "aligned", gamma: 0.9, stopAbove: null },
      optimizer: { learningRate: { peak: 1e-3, warmUpSteps: 5, decay: "constant", finalFraction: 1 } },
      evaluation: { every: 1000, problems: 128 },
    };
    const options = { seed, step: 0, problems: 128, sampling: { temperature: 1 } };
    const { evaluation } = await evaluate(parts, { helper, main }, options);
    const { test } = await train({ ...parts, settings });
    if (test === null) throw new Error("the run has no test figures");
    const figures = ({ accuracy, measures }: Evaluation): object => ({ reward: accuracy, ...measures });
    const seconds = Math.round((performance.now() - start) / 1000);
    const row = { seed, pays, taught: figures(evaluation), trained: figures(test), seconds };
    printRow(flags.out, row);
  }
await engine.close();
await sandbox.close();
