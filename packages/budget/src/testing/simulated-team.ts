import { randomFromSeed, randomFromState, type RandomState } from "@laconic/core";
import type { BudgetMeasurement } from "../measurement.ts";

/** How a simulated team answers to prices. */
export interface SimulatedTeamOptions {
  /** Tokens per episode when tokens are free. */
  readonly talkTokens: number;
  /** k: the team settles at `talkTokens` exp(-k price). */
  readonly sensitivity: number;
  /** Share of the old habit kept per iteration, in [0, 1): how slowly training follows the price. Defaults to 0. */
  readonly lag?: number;
  /** Standard deviation of the measured mean, in tokens. Defaults to 0. */
  readonly noise?: number;
  /** Tokens the team cannot do without, whatever the price. Defaults to 0. */
  readonly floorTokens?: number;
  /** A hard cap: no episode is measured longer. */
  readonly capTokens?: number;
  /** Below this the task reward falls in proportion. Defaults to 0: the task needs no words. */
  readonly neededTokens?: number;
  /** Below this the team falls silent for good. Defaults to 0: never. */
  readonly silenceBelow?: number;
}

/** What a simulated team remembers from one iteration to the next. */
export interface SimulatedTeamState {
  /** Tokens per episode the team is used to. */
  readonly habit: number;
  readonly random: RandomState;
}

/** A simulated team that writes fewer tokens at a higher price, for tests of controllers. */
export interface SimulatedTeam {
  init(seed: number): SimulatedTeamState;
  step(
    state: SimulatedTeamState,
    price: number,
  ): { state: SimulatedTeamState; measurement: Required<BudgetMeasurement> };
}

/** A team without models: its tokens per episode fall exponentially with the price, late and noisily if asked for. */
export function simulatedTeam(options: SimulatedTeamOptions): SimulatedTeam {
  const { talkTokens, sensitivity, lag = 0, noise = 0, floorTokens = 0, capTokens = Infinity } = options;
  const { neededTokens = 0, silenceBelow = 0 } = options;
  return {
    init: (seed) => ({ habit: talkTokens, random: randomFromSeed(seed).state() }),
    step(state, price) {
      const random = randomFromState(state.random);
      const settled = Math.max(floorTokens, talkTokens * Math.exp(-sensitivity * price));
      const wanted = state.habit < silenceBelow ? 0 : settled;
      const habit = lag * state.habit + (1 - lag) * wanted;
      const tokens = Math.max(0, habit + noise * random.normal());
      return {
        state: { habit, random: random.state() },
        measurement: {
          tokens: Math.min(capTokens, tokens),
          taskReward: Math.min(1, habit / Math.max(neededTokens, 1e-9)),
          silenceRate: Math.max(0, 1 - habit / Math.max(silenceBelow, 1e-9)),
          truncatedShare: tokens > capTokens ? 1 : 0,
        },
      };
    },
  };
}
