import { randomFromSeed, randomFromState, type RandomState } from "@laconic/core";
import type { BudgetMeasurement } from "../measurement.ts";

/** Price response of a simulated team. */
export interface SimulatedTeamOptions {
  /** Tokens per episode at price 0. */
  readonly talkTokens: number;
  /** k: tokens settle at `talkTokens` exp(-k price). */
  readonly sensitivity: number;
  /** Share of the old habit kept per iteration, in [0, 1). Default 0. */
  readonly lag?: number;
  /** Standard deviation of the measured mean in tokens. Default 0. */
  readonly noise?: number;
  /** Min tokens at any price. Default 0. */
  readonly floorTokens?: number;
  /** Hard cap on the measured tokens. */
  readonly capTokens?: number;
  /** Tokens below which the task reward falls in proportion. Default 0. */
  readonly neededTokens?: number;
  /** Habit below which the team stays silent for good. Default 0: never. */
  readonly silenceBelow?: number;
}

export interface SimulatedTeamState {
  readonly habit: number;
  readonly random: RandomState;
}

export interface SimulatedTeam {
  init(seed: number): SimulatedTeamState;
  step(
    state: SimulatedTeamState,
    price: number,
  ): { state: SimulatedTeamState; measurement: Required<BudgetMeasurement> };
}

/** Simulates a team without models: tokens fall exponentially with the price, with optional lag and noise. */
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
