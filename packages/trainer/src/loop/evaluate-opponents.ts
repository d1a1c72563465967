import { wilsonInterval } from "@laconic/core/numeric";
import type { OpponentSettings } from "../settings/config.ts";
import { playProblems, type EvaluateOptions } from "../evaluate.ts";
import { modelsOf, type Samplers, type TrainingParts } from "../spec/parts.ts";
import { gameOf, withOpponent, type OpponentResult } from "../opponents/games.ts";
import type { OpponentPool } from "../opponents/opponent-pool.ts";

/** Plays the validation problems against each opponent that settings name; sides take turns problem by problem. */
export async function evaluateOpponents(
  parts: TrainingParts,
  samplers: Samplers,
  { pool, settings }: { readonly pool: OpponentPool; readonly settings: OpponentSettings },
  options: EvaluateOptions,
): Promise<Readonly<Record<string, OpponentResult>>> {
  const learners = Object.values(parts.policies).flatMap(({ agents }) => agents);
  const models = modelsOf(parts, samplers);
  const rates: Record<string, OpponentResult> = {};
  for (const name of pool.against) {
    const opponents = settings.sides.map((_, side) => pool.opponent(name, side));
    const opponentAt = (i: number): (typeof opponents)[number] =>
      opponents[i % opponents.length] as (typeof opponents)[number];
    const played = await playProblems(parts, (i) => ({ ...models, ...opponentAt(i).models }), options);
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
