import { join } from "node:path";
import { isRecord, LaconicError, type LanguageModel } from "@laconic/core";
import { trainConfigSchema, type TrainedPolicy, type TrainingParts } from "@laconic/trainer";
import { tinyPairParts, tinyParts, tinyRun, tinySettings } from "@laconic/trainer/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { misreported } from "../../../../packages/trainer/test/misreported.ts";
import { samplesOf } from "../schema-samples.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { verifyRun } from "@laconic/verify";

type Settings = Readonly<Record<string, unknown>>;

const few = {
  ...tinySettings,
  steps: 2,
  problemsPerStep: 2,
  episodesPerProblem: 4,
  minibatches: 2,
  epochs: 1,
  evaluation: { every: 2, problems: 3, transcripts: 1 },
  checkpoint: { every: 2, keep: 2 },
};

/** What an option of a budget needs, where the budget stands. */
const besideInBudget: readonly (readonly [option: string, beside: Settings])[] = [
  ["warmupPrice", { warmupIterations: 1 }],
  ["annealIterations", { warmupIterations: 1 }],
  ["derivativeSmoothing", { derivativeGain: 0.5 }],
  ["guard", { guard: { rewardTolerance: 0.04, referenceReward: 0.5, maxSilenceRate: 0.1 } }],
];
const budgets: readonly (readonly [place: string, at: (budget: Settings) => Settings])[] = [
  ["budget", (budget) => ({ budget })],
  ["budgets.*", (turns) => ({ budgets: { turns } })],
  ["policies.*.budget", (budget) => ({ policies: { first: { budget } } })],
];

/** What an option needs beside it to have an effect, or to be let through: by how its path begins. */
const companions: readonly (readonly [path: string, beside: Settings])[] = [
  ["objective(dr-grpo)", { objective: { constantLength: 4 } }],
  ...["grpo", "reinforce", "cispo", "sapo"].map(
    (name) => [`objective(${name}).constantLength`, { objective: { aggregation: "seq-mean-token-sum-norm" } }] as const,
  ),
  [
    "policies.*.objective(grpo).constantLength",
    { policies: { first: { objective: { aggregation: "seq-mean-token-sum-norm" } } } },
  ],
  ...["std", "epsilon"].map((name) => [`advantage(group).${name}`, { advantage: { scale: "group" } }] as const),
  ["advantage(bnpo)", { prices: {} }],
  ["advantage(reinforce++)", { objective: { name: "grpo" } }],
  ["advantage(running-baseline)", { groupBy: "prompt+agent" }],
  ["refreshOldPolicyEvery", { steps: 3, checkpoint: { every: 3, keep: 2 } }],
  ["credit", { groupBy: "prompt+agent" }],
  ["tree", { groupBy: "tree-node", objective: { name: "magrpo" } }],
  ["costs", { prices: {} }],
  // A run, an opponent and a cost are called as every text of a sample.
  ["opponents", { costs: { tokens: { kind: "tokens-written" }, solver: { kind: "turns", count: "spoken" } } }],
  ...budgets.flatMap(([location, at]) => [
    [location, { prices: {}, steps: 3 }] as const,
    ...besideInBudget.map(([option, beside]) => [`${location}.${option}`, at(beside)] as const),
  ]),
];

/** Refused by the trainer whatever stands beside, or by the table of logits that speaks here; a peer's name is of a run of two. */
const never = /kl\.to\.|^objective\((?:cispo|vespo)\)\.importance|^sampling\.(?:topP|topK|minP)/u;

/** A sampler of other kernels: a little off in some replies, so that samples are weighed in some optimizer steps. */
function offSampler(model: LanguageModel): LanguageModel {
  let asked = 0;
  return misreported(model, () => 1 + 0.01 * (asked++ % 7));
}

const constant: LanguageModel = {
  id: "constant",
  complete: async () => ({
    text: "b",
    finishReason: "stop",
    usage: { promptTokens: 1, completionTokens: 2, counted: "model" },
    model: { id: "constant", weightVersion: 3 },
  }),
};

const examples: NonNullable<TrainedPolicy["examples"]> = {
  size: null,
  take: () => [{ promptTokens: [0], completionTokens: [3, 9] }],
};

const isOfPair = (path: string): boolean => /^(?:policies|tree)/u.test(path);

function partsFor(path: string): TrainingParts {
  const parts = isOfPair(path) ? tinyPairParts() : tinyParts("star");
  return {
    ...parts,
    ...(path.startsWith("opponents") && { opponents: { solver: { solver: constant } } }),
    policies: Object.fromEntries(
      Object.entries(parts.policies).map(([name, policy]) => [
        name,
        {
          ...policy,
          ...(path.startsWith("supervised") && { examples }),
          speak: (sampler) => offSampler(policy.speak(sampler)),
        },
      ]),
    ),
  };
}

const shape = (trainConfigSchema as unknown as z.ZodObject).shape;
const names = { policies: ["first"], costs: ["tokens"], budgets: ["turns"], prices: ["tokens"] };
/**
 * Known like all others, but not trained once more: corrections, which are laid on any loss alike, and what a policy sets for
 * itself, which is laid over the run's settings.
 */
const again =
  /^objective\((?!gspo\)|grpo\))[^)]+\)\.(?:kl|importance)|^policies\.\*\.(?:objective\((?!grpo\))|advantage\((?!group\)))/u;
const all = Object.entries(shape).flatMap(([key, schema]) =>
  samplesOf(schema, key, names).map(({ path, value }) => ({ path, settings: { [key]: value } as Settings })),
);

function merged(under: Settings, over: Settings): Settings {
  const isGroup = (value: unknown): value is Settings => isRecord(value);
  const inner = Object.entries(over).map(([key, value]) => {
    const below = under[key];
    return [key, isGroup(below) && isGroup(value) ? merged(below, value) : value] as const;
  });
  return { ...under, ...Object.fromEntries(inner) };
}

const samples = all
  .filter(({ path }) => !again.test(path) && !never.test(path))
  .map(({ path, settings }) => {
    const beside = companions.filter(([start]) => path.startsWith(start)).map(([, item]) => item);
    return { path, settings: [settings, ...beside].reduce((over, under) => merged(under, over)) };
  });

const keyOf = (path: string): string => path.replace(/[.(].*$/u, "");

const outcomes = new Map<string, Promise<string>>();

/** What became of a sample: trained and verified, or refused by whom. Options whose samples are the same share a run. */
async function outcomeOf(path: string, settings: Settings): Promise<string> {
  const key = JSON.stringify([isOfPair(path), settings]);
  const outcome = outcomes.get(key) ?? trainedAndVerified(path, settings);
  outcomes.set(key, outcome);
  return outcome;
}

async function trainedAndVerified(path: string, settings: Settings): Promise<string> {
  const directory = join(await temporaryFolder(), "run");
  try {
    await tinyRun({ directory, settings: { ...few, ...settings }, parts: partsFor(path) });
  } catch (error) {
    if (LaconicError.is(error)) return `not trained: ${error.message}`;
    throw error;
  }
  const { contradictions, compared } = await verifyRun(directory);
  const [first] = contradictions;
  if (first) return `accused of ${contradictions.length} contradictions, such as ${JSON.stringify(first)}`;
  return (compared.ledger ?? 0) > 0 ? "agrees" : "nothing was compared";
}

test.each([...new Set(samples.map(({ path }) => keyOf(path)))])(
  "no value of an option of %s causes a contradiction",
  async (key) => {
    const agreed = new Set<string>();
    const other: string[] = [];
    const own = samples.filter(({ path }) => keyOf(path) === key);
    for (const { path, settings } of own) {
      const outcome = await outcomeOf(path, settings);
      if (outcome === "agrees") agreed.add(path);
      else if (!outcome.startsWith("not trained")) other.push(`${path} ${JSON.stringify(settings)}: ${outcome}`);
    }
    expect(other).toEqual([]);
    // A new option that needs another beside it needs a companion above.
    expect(own.map(({ path }) => path).filter((path) => !agreed.has(path))).toEqual([]);
  },
);
