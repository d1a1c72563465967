import {
  type Advantages,
  checkShape,
  type Estimator,
  type Field,
  group,
  inputError,
  present,
  type RewardBatch,
  type Shape,
} from "@laconic/core";
import {
  bnpo,
  gpg,
  maremax,
  maxRl,
  opo,
  passAtK,
  rawRewards,
  remax,
  rloo,
  reinforcePlusPlus,
  type ReinforcePlusPlusOptions,
  runningBaseline,
  type RunningBaselineState,
} from "../advantages/baselines.ts";
import {
  advantageScales,
  deviationForms,
  epsilonForms,
  groupAdvantages,
  type GroupAdvantageOptions,
} from "../advantages/group-advantage.ts";
import { checkChoice } from "../check-option.ts";

type NoOptions = Readonly<Record<string, never>>;

/** Options by name. */
export interface EstimatorOptions {
  /** Agent-GSPO Eq. 2 with `scale: "group"`; Dr.GRPO and MAGRPO with `scale: "none"`. */
  readonly group: GroupAdvantageOptions;
  readonly rloo: NoOptions;
  readonly raw: NoOptions;
  readonly gpg: NoOptions;
  readonly maremax: NoOptions;
  readonly remax: NoOptions;
  readonly "max-rl": { readonly epsilon?: number };
  readonly opo: NoOptions;
  readonly "pass-at-k": { readonly scaled?: boolean };
  readonly bnpo: { readonly a: number; readonly b: number };
  readonly "reinforce++": ReinforcePlusPlusOptions;
  readonly "running-baseline": { readonly decay?: number };
}

/** Name of an estimator. */
export type EstimatorName = keyof EstimatorOptions;

type Estimate<Options> = (batch: RewardBatch, options: Options, state: unknown) => Advantages;

interface Preset<Options> {
  readonly shape: OptionsShape;
  readonly needs?: Estimator["needs"];
  readonly advantagePer?: Estimator["advantagePer"];
  readonly init?: () => unknown;
  readonly estimate: Estimate<Options>;
}

type OptionsShape = Extract<Shape, { kind: "group" }>;

const nothing: OptionsShape = { kind: "group", fields: {} };
const byGroup = (rule: typeof rloo): Preset<NoOptions> => ({
  shape: nothing,
  estimate: ({ rewards, groups, weights }) => rule(rewards, groups, weights),
});
const boolean = { shape: "boolean", optional: true, default: false } as const;
const divides: Field["actsWith"] = ({ scale }) => scale !== "none";

const presets: { readonly [Name in EstimatorName]: Preset<EstimatorOptions[Name]> } = {
  group: {
    shape: group<GroupAdvantageOptions>({
      scale: {
        help: "Divisor of differences: none, or the standard deviation of group or batch",
        shape: { kind: "choice", of: advantageScales },
      },
      std: {
        help: "Divisor of the variance: n - 1 or n",
        shape: { kind: "choice", of: deviationForms },
        optional: true,
        default: "sample",
        actsWith: divides,
      },
      epsilon: {
        help: "Added to a divisor, or its lower bound",
        shape: "atLeast0",
        optional: true,
        default: 1e-6,
        actsWith: divides,
      },
      epsilonForm: {
        help: "Whether epsilon is added to the deviation, or is its lower bound",
        shape: { kind: "choice", of: epsilonForms },
        optional: true,
        default: "add",
        actsWith: divides,
      },
    }),
    estimate: ({ rewards, groups, weights }, options) => groupAdvantages(rewards, groups, options, weights),
  },
  rloo: byGroup(rloo),
  raw: byGroup(rawRewards),
  gpg: byGroup(gpg),
  maremax: byGroup(maremax),
  remax: {
    shape: nothing,
    needs: ["greedy"],
    estimate: ({ rewards, groups, greedyRewards }) => {
      if (greedyRewards) return remax(rewards, groups, greedyRewards);
      throw inputError("remax: the batch has no rewards of greedy answers");
    },
  },
  "max-rl": {
    shape: group<EstimatorOptions["max-rl"]>({
      epsilon: { help: "Added to a divisor", shape: "atLeast0", optional: true, default: 1e-6 },
    }),
    estimate: ({ rewards, groups, weights }, { epsilon }) => maxRl(rewards, groups, epsilon, weights),
  },
  opo: {
    shape: nothing,
    estimate: ({ rewards, groups, offsets }) =>
      opo(
        rewards,
        groups,
        Array.from(rewards, (_, row) => offsets[row + 1]! - offsets[row]!),
      ),
  },
  "pass-at-k": {
    shape: group<EstimatorOptions["pass-at-k"]>({
      scaled: { ...boolean, help: "Divides by the group's standard deviation" },
    }),
    estimate: ({ rewards, groups }, options) => passAtK(rewards, groups, options),
  },
  bnpo: {
    shape: group<EstimatorOptions["bnpo"]>({
      a: { help: "a of the Beta density that divides (BNPO)", shape: "above0" },
      b: { help: "b of the Beta density that divides (BNPO)", shape: "above0" },
    }),
    estimate: ({ rewards, groups, weights }, options) => bnpo(rewards, groups, options, weights),
  },
  "reinforce++": {
    shape: group<ReinforcePlusPlusOptions>({
      baseline: { ...boolean, help: "Subtracts the group's mean first" },
      discount: {
        help: "Discount γ of the token returns",
        shape: "shareAbove0",
        optional: true,
        default: 1,
      },
    }),
    advantagePer: "token",
    estimate: ({ rewards, groups, offsets, weights }, options) => ({
      advantages: reinforcePlusPlus(rewards, groups, offsets, options, weights),
    }),
  },
  "running-baseline": {
    shape: group<EstimatorOptions["running-baseline"]>({
      decay: {
        help: "Weight of the past in an agent's baseline, per reward",
        shape: "shareBelow1",
        optional: true,
        default: 0.95,
      },
    }),
    needs: ["agents"],
    init: (): RunningBaselineState => ({}),
    estimate: ({ rewards, agents, weights }, { decay }, state) => {
      if (agents) return runningBaseline(state as RunningBaselineState, rewards, agents, decay, weights);
      throw inputError("running-baseline: the batch lacks the agent of each reward");
    },
  },
};

/** Names of all estimators. */
export const estimatorNames: readonly EstimatorName[] = Object.keys(presets) as EstimatorName[];

/** Option shape. */
export function estimatorShape(name: EstimatorName): Extract<Shape, { kind: "group" }> {
  checkChoice("estimator", name, estimatorNames);
  return presets[name].shape;
}

/**
 * Creates an estimator by name.
 * @throws LaconicError `config_invalid`
 */
export function estimatorPreset<Name extends EstimatorName>(name: Name, options: EstimatorOptions[Name]): Estimator {
  checkChoice("estimator", name, estimatorNames);
  const { shape, needs, advantagePer, init, estimate } = presets[name] as Preset<EstimatorOptions[Name]>;
  checkShape(shape, options, `estimator ${name}`);
  if (name === "group") groupAdvantages([], [], options as GroupAdvantageOptions);
  return {
    name,
    settings: { ...options },
    ...present({ needs, advantagePer, init }),
    estimate: (batch, state) => estimate(batch, options, state),
  };
}
