// Topology search and training, together and each alone. AgentPrune learns which holders the solver of a relay has to hear, half of the
// edges stay, and the team that is left learns with GSPO at a fixed price of a token. Two worlds: the idle holder is always the same
// one, or another one each time. A line of JSON for each seed, world and arm, of test problems; rows that FILE has are not made again.
//   npx tsx bench/src/studies/search-then-train.ts --seeds 0-4 --out docs/results/search-then-train.jsonl
import { learnMasks, pruneGraph, type EdgeSet } from "@laconic/baselines";
import { randomFromSeed, type LanguageModel, type Problem } from "@laconic/core";
import { createLocalEngine, localPolicy } from "@laconic/engine";
import { wasmKernels } from "@laconic/kernels-wasm";
import { relayHolderPrompt, relaySolverPrompt, relayTask, renderRelayPrompt, type RelayTask } from "@laconic/tasks";
import { star, type AgentSpec } from "@laconic/topologies";
import {
  evaluate,
  onePolicy,
  onlyPolicy,
  silentRecorder,
  train,
  type Evaluation,
  type TrainSettings,
  type TrainingParts,
} from "@laconic/trainer";
import { shipped } from "../processes.ts";
import { readOptions } from "../options.ts";
import { keptRows, printRow, seedsOf } from "../rows.ts";

const { values: flags } = readOptions({
  options: {
    seeds: { type: "string", default: "0-4" },
    steps: { type: "string", default: "40" },
    out: { type: "string" },
  },
});
const rows = keptRows<Readonly<Record<"seed" | "world" | "arm", string | number>>>(flags.out);
const done = new Set(rows.map(({ seed, world, arm }) => `${seed}/${world}/${arm}`));

const relay = relayTask({ level: "one-fact", testProblems: 200 });
const holders = ["holder-a", "holder-b", "holder-c"] as const;
const agent = (id: string, maxTokens: number, prompt: AgentSpec["prompt"]): AgentSpec => {
  return { id, role: id, maxTokens, prompt, renderPrompt: renderRelayPrompt };
};
const solver = agent("solver", 20, relaySolverPrompt);
const speakers = holders.map((id, slot) => agent(id, 28, (view) => relayHolderPrompt(view, slot)));

/** The holders that the solver hears. */
const heard = ({ spatial }: EdgeSet): AgentSpec[] => speakers.filter((_, i) => spatial[i]?.[holders.length]);

/** Who stays, and the tokens that it took to find out. */
interface Searched {
  readonly kept: readonly AgentSpec[];
  readonly tokens: number;
}

/** The same problem where `holder-b` has what nobody asks for. */
function idleB(problem: Problem): Problem {
  const { question, views = {} } = problem;
  const idle = holders.find((id) => !question.includes(views[id]?.[0] ?? "?")) ?? "holder-b";
  return { ...problem, views: { ...views, [idle]: views["holder-b"] ?? "", "holder-b": views[idle] ?? "" } };
}
const worlds = { "idle holder fixed": idleB, "idle holder varies": (problem: Problem) => problem } as const;

const config = (seed: number): TrainSettings => ({
  seed,
  steps: Number(flags.steps),
  problemsPerStep: 8,
  episodesPerProblem: 8,
  minibatches: 2,
  oldLogProbs: "sampler",
  objective: { name: "gspo", clip: { low: 0.03, high: 0.04 } },
  advantage: { estimator: "group", scale: "none" },
  prices: { tokens: 0.0032 }, // what Eq. 5 reaches in the quickstart, fixed
  optimizer: { learningRate: { peak: 1e-3, warmUpSteps: 5, decay: "cosine", finalFraction: 0.05 } },
  evaluation: { every: 1000, problems: 200 },
});

const engine = await createLocalEngine({ device: wasmKernels(), workers: 1 });
type Model = Awaited<ReturnType<typeof engine.createModel>>;
const partsOf = (model: Model, world: keyof typeof worlds, kept: readonly AgentSpec[]): TrainingParts => {
  const asked = (problems: readonly Problem[]): Problem[] => problems.map(worlds[world]);
  const problems: RelayTask["problems"] = (random, count) => asked(relay.problems(random, count));
  const topology = star(kept, solver, `relay/${kept.length}`);
  const task = {
    ...relay,
    topology,
    problems,
    validation: asked(relay.validation),
    testProblems: asked(relay.testProblems),
  };
  return onePolicy(task, model, (sampler) => localPolicy({ id: model.id, sampler, tokenizer: relay.tokenizer }));
};

/** Learns on 40 training problems, 4 drawn graphs each: as many episodes as two steps and a half. */
async function search(model: Model, world: keyof typeof worlds, seed: number): Promise<Searched> {
  const square = (on: (from: number, to: number) => boolean): boolean[][] =>
    Array.from({ length: 4 }, (_, from) => Array.from({ length: 4 }, (__, to) => on(from, to)));
  const [spatial, temporal] = [square((from, to) => from < to && to === holders.length), square(() => false)];
  const { task, policies } = partsOf(model, world, speakers);
  const questions = task.problems(randomFromSeed(`search/${seed}`), 40);
  const said = policies[onlyPolicy]?.speak(model) as LanguageModel;
  const models = Object.fromEntries(task.topology.agents.map((id) => [id, said]));
  const random = randomFromSeed(`search/${seed}/episodes`);
  let [episodes, tokens] = [0, 0];
  const utility = async (question: number, edges: EdgeSet): Promise<number> => {
    const problem = questions[question] as Problem;
    const { topology } = partsOf(model, world, heard(edges)).task;
    const context = { models, sampling: { temperature: 1 }, random: random.split(episodes++) };
    const { answer, ledger } = await topology.run(problem, context);
    tokens += ledger.calls.reduce((sum, call) => sum + call.writtenTokens, 0);
    return relay.grader(answer, problem);
  };
  const learned = await learnMasks(spatial, temporal, questions.length, utility, { seed });
  return { kept: heard(pruneGraph(spatial, temporal, learned, 0.5)), tokens };
}

for (const seed of seedsOf(flags.seeds))
  for (const world of Object.keys(worlds) as (keyof typeof worlds)[])
    for (const searches of [true, false]) {
      const [untrained, trained] = searches ? ["search alone", "search, then training"] : ["neither", "training alone"];
      if (done.has(`${seed}/${world}/${trained}`)) continue;
      const start = performance.now();
      const model = await engine.createModel({ kind: "folder", path: shipped });
      const { kept, tokens } = searches ? await search(model, world, seed) : { kept: speakers, tokens: 0 };
      const parts = partsOf(model, world, kept);
      const options = { seed, step: 0, problems: 200, sampling: { temperature: 1 } };
      const { evaluation } = await evaluate(parts, { [onlyPolicy]: model }, options);
      let written = tokens;
      const count = silentRecorder((metrics) => void (written += 64 * (metrics["tokens/episode_mean"] as number)));
      const { test } = await train({ ...parts, settings: config(seed), recorder: count });
      if (test === null) throw new Error("the run has no test figures");
      const about = { seed, world, kept: kept.map(({ id }) => id) };
      const figures = ({ accuracy, tokens: each }: Evaluation): object => ({ accuracy, tokens: each });
      printRow(flags.out, { ...about, arm: untrained, ...figures(evaluation), learnedFrom: Math.round(tokens) });
      const seconds = Math.round((performance.now() - start) / 1000);
      printRow(flags.out, { ...about, arm: trained, ...figures(test), learnedFrom: Math.round(written), seconds });
    }
await engine.close();
