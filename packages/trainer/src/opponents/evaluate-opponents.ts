import { wilsonInterval } from "@laconic/core";
import type { OpponentSettings } from "../config.ts";
import { playHeldOut, type EvaluateOptions } from "../evaluate.ts";
import { modelsOf, type Samplers, type TrainingParts } from "../parts.ts";
import { gameOf, withOpponent } from "./games.ts";
import type { OpponentPool } from "./opponent-pool.ts";

/** How a team does against an opponent on held-out problems. */
export interface WinRate {
  /** With a score. */
  readonly games: number;
  /** 0 to 1; a draw counts half. */
  readonly winRate: number;
  /** Wilson's, 95 %. */
  readonly interval: readonly [low: number, high: number];
}

/** Plays the held-out problems against each opponent that settings name; sides take turns problem by problem. */
export async function evaluateOpponents(
  parts: TrainingParts,
  samplers: Samplers,
  { pool, settings }: { readonly pool: OpponentPool; readonly settings: OpponentSettings },
  options: EvaluateOptions,
): Promise<Readonly<Record<string, WinRate>>> {
  const learners = Object.values(parts.policies).flatMap(({ agents }) => agents);
  const models = modelsOf(parts, samplers);
  const rates: Record<string, WinRate> = {};
  for (const name of pool.against) {
    const opponents = settings.sides.map((_, side) => pool.opponent(name, side));
    const opponentAt = (i: number): (typeof opponents)[number] =>
      opponents[i % opponents.length] as (typeof opponents)[number];
    const played = await playHeldOut(parts, (i) => ({ ...models, ...opponentAt(i).models }), options);
    const games = played.flatMap(({ episode, score }, i) => {
      const marked = withOpponent(episode, name, Object.keys(opponentAt(i).models));
      return gameOf({ episode: marked, score }, settings, learners)?.points ?? [];
    });
    const won = games.reduce((sum, points) => sum + points, 0);
    rates[name] = {
      games: games.length,
      winRate: won / Math.max(1, games.length),
      interval: wilsonInterval(won, games.length),
    };
  }
  return rates;
}
