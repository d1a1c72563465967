import { agentGspoDefaults } from "@laconic/trainer";
import type { KindName } from "./kinds.ts";
import type { Reference } from "./reference.ts";

/** A key of `train` that takes a value of a user's own. */
export interface OwnKey {
  /** Below `train`; `*` is any key. */
  readonly key: string;
  readonly kind: KindName;
  /** What it is, where no setting of this name is; as `Field.help`. */
  readonly help?: string;
  /** Where the trainer takes it: of the run's parts, or of the policy's. */
  readonly part: string;
  /**
   * Stands where the value does, for the trainer's checks of the settings beside it: it asks nothing of them. Absent where the key
   * is left out.
   */
  readonly stand?: unknown;
}

const learning: readonly OwnKey[] = [
  { key: "advantage", kind: "estimator", part: "estimator", stand: { estimator: "raw" } },
  { key: "objective", kind: "objective", part: "objective", stand: agentGspoDefaults.objective },
];

/** Asks for no warning about a rate that is not known here. */
const ownRate = { peak: 1, warmUpSteps: 0 };

/** Every key of `train` that takes a value. */
export const ownKeys: readonly OwnKey[] = [
  { key: "reward", kind: "reward", part: "reward", help: "A reward of your own" },
  {
    key: "groupReward",
    kind: "groupReward",
    part: "groupReward",
    help: "A reward of your own over all episodes of a group",
  },
  { key: "groupBy", kind: "grouping", part: "grouping", stand: "prompt+agent+turn" },
  ...learning,
  { key: "costs.*", kind: "cost", part: "costs" },
  { key: "budget", kind: "budget", part: "budgets" },
  { key: "budgets.*", kind: "budget", part: "budgets" },
  { key: "optimizer.learningRate", kind: "schedule", part: "learningRate", stand: ownRate },
  { key: "sampling.temperature", kind: "schedule", part: "temperature", stand: 1 },
  { key: "earlyStopping", kind: "stopping", part: "stopping" },
  { key: "curriculum", kind: "curriculum", part: "curriculum", help: "Which problems come next" },
  { key: "opponents.matchmaking", kind: "matchmaking", part: "matchmaking", stand: "uniform" },
  {
    key: "supervised.examples",
    kind: "examples",
    part: "examples",
    help: "The examples: a file of JSON lines, or a module",
  },
  { key: "policies.*.budget", kind: "budget", part: "budget" },
  { key: "policies.*.learningRate", kind: "schedule", part: "learningRate" },
  ...learning.map((each) => ({ ...each, key: `policies.*.${each.key}` })),
];

/** A value of the user's own, at its path below `train`. */
export interface OwnValue {
  readonly path: readonly string[];
  readonly reference: Reference;
}

/** The key of a path; undefined where only settings go. */
export function ownKeyAt(path: readonly string[]): OwnKey | undefined {
  return ownKeys.find(({ key }) => matches(key, path));
}

/** Whether a path is one of a key, in which `*` is any name. */
export function matches(key: string, path: readonly string[]): boolean {
  const parts = key.split(".");
  return parts.length === path.length && parts.every((part, i) => part === "*" || part === path[i]);
}

/** The value at a path below `train`; undefined where there is none. */
export function ownAt(own: readonly OwnValue[], ...path: readonly string[]): Reference | undefined {
  return own.find((each) => each.path.length === path.length && each.path.every((part, i) => part === path[i]))
    ?.reference;
}
