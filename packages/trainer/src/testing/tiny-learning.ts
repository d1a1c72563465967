import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolders } from "@laconic/core/platform";
import { randomFromSeed, mapValues } from "@laconic/core";
import type {
  Curriculum,
  Environment,
  EpisodeReward,
  Estimator,
  GroupReward,
  Learned,
  Problem,
  Reward,
  StoredWeights,
} from "@laconic/core";
import { inEnvironment } from "@laconic/topologies";
import type { TrainingParts } from "../spec/parts.ts";
import type { RunSpecOptions } from "../spec/run-spec.ts";
import { exampleStream } from "../supervised/example-stream.ts";
import { supervisedDefaults } from "../settings/config.ts";
import { tinyTokenizer } from "./tiny-task.ts";

/** Critic that counts rows, stored with the policies' weights. */
function countingCritic(): StoredWeights & { seen: number } {
  const file = "count.json";
  return {
    trainableParameters: 1,
    seen: 0,
    async save(folder) {
      await makeFolders(folder);
      await writeFile(join(folder, file), JSON.stringify(this.seen));
      return [file];
    },
    async load(folder) {
      this.seen = JSON.parse(await readFile(join(folder, file), "utf8")) as number;
    },
  };
}

interface Counted {
  readonly seen: number;
}

/** Learned state as a number: the counting estimator's state, steps, and the price of tokens. */
function sumOf(learned: Learned | undefined): number {
  if (!learned) throw new Error("nothing is known of what was learned");
  const states = Object.values(learned.estimators) as readonly Counted[];
  return states.reduce((sum, { seen }) => sum + seen, learned.step + (learned.budgets["tokens"]?.price ?? 0));
}

/**
 * Parts whose topology, rewards and curriculum depend on an estimator's state and weights. A resumed run without this
 * state would ask other problems.
 * @param isPooled - draws problems from a pool, so that a curriculum chooses
 */
export function tinyLearningParts(parts: TrainingParts, isPooled = false): RunSpecOptions {
  const critic = countingCritic();
  const { task } = parts;
  const estimator: Estimator<Counted> = {
    name: "counting",
    settings: {},
    weights: critic,
    init: () => ({ seen: 0 }),
    estimate({ rewards }, { seen }) {
      critic.seen += rewards.length;
      // Episodes without a score have no reward and advantage 0.
      const advantages = rewards.map((reward) => (Number.isNaN(reward) ? 0 : reward - critic.seen / 1000));
      return { advantages, state: { seen: seen + rewards.length } };
    },
  };
  const base: Reward = task.reward ?? (({ answer }, problem) => task.grader?.(answer, problem) ?? 0);
  const reward: Reward = async (episode, problem, { learned, ...context }) => {
    const own = (await base(episode, problem, context)) as EpisodeReward | { readonly task: number } | number;
    const terms = typeof own === "number" ? { team: { task: own } } : "team" in own ? own : { team: own };
    return { ...terms, measures: { learned: sumOf(learned) } };
  };
  const groupReward: GroupReward = (episodes, _, { learned }) =>
    episodes.map(() => ({ learned: sumOf(learned) / 1000 }));
  const curriculum: Curriculum = ({ pool, count, learned }) =>
    Array.from({ length: count }, (_, i) => pool[Math.floor(sumOf(learned) + i) % pool.length] as Problem);
  const { topology } = task;
  const run: typeof topology.run = (problem, context) => {
    const digit = String(Math.floor(sumOf(context.learned)) % 3);
    return topology.run(
      problem.views ? { ...problem, views: { hint: digit } } : { ...problem, question: digit },
      context,
    );
  };
  return {
    ...parts,
    settings: { advantage: estimator, reward, groupReward, ...(isPooled && { curriculum }) },
    task: { ...task, topology: { ...topology, run } },
  };
}

/** Replies that begin with `?` make a lookup and continue. */
const looking: Environment<{ looks: number }> = {
  name: "looking",
  maxSteps: 2,
  format: {
    name: "mark",
    write: (messages) => messages.map(({ role, content }) => ({ role, content })),
    read: (text) => ({ content: text, calls: text.startsWith("?") ? [{ name: "look", arguments: "{}" }] : [] }),
  },
  tools: () => [{ name: "look" }],
  encode: (observation) => tinyTokenizer.encode(observation),
  reset: () => ({ looks: 0 }),
  step(state, { calls }, { record, random }) {
    if (calls.length === 0) return {};
    state.looks += 1;
    record("looked");
    return { observation: random.pick(["A", "B", "C"]) };
  },
};

/** Parts whose agents call an environment's tool. */
export function tinyToolParts(parts: TrainingParts): TrainingParts {
  return { ...parts, task: { ...parts.task, topology: inEnvironment(parts.task.topology, looking) } };
}

/** Parts whose policies also learn from three supervised examples, as the setting `supervised` says. */
export function tinyExampleParts(parts: TrainingParts): TrainingParts {
  const { task } = parts;
  const learners = mapValues(parts.policies, ({ agents }) => agents);
  const examples = ["a", "b", "c"].map((completion, i) => ({ prompt: String(i), completion }));
  const policies = Object.fromEntries(
    Object.entries(parts.policies).map(([policy, each]) => {
      const { contextLength } = each.model;
      const options = { task, learners, policy, contextLength, tokenizer: tinyTokenizer, random: randomFromSeed(1) };
      return [policy, { ...each, examples: exampleStream(examples, { ...options, settings: supervisedDefaults }) }];
    }),
  );
  return { ...parts, policies };
}
