import { shownValue, type Matchmaking, type PoolMember, type Random } from "@laconic/core";
import { checkedCall } from "@laconic/core/checks";
import type { OpponentSettings } from "../settings/config.ts";
import { poolMember, type OpponentState } from "./games.ts";

export interface Match {
  readonly opponent: string;
  readonly side: number;
}

export interface MatchPlace {
  readonly step: number;
  readonly problems: number;
  readonly episodes: number;
  readonly random: Random;
}

/** The match of an episode; null where the team plays as it is. */
export type Matches = (group: number, episode: number) => Match | null;

/**
 * Draws the opponents of a step before its first episode. Each game has a stream of its own.
 * @throws LaconicError `input_invalid` for a rule that names nobody of the pool
 */
export function matchesOf(
  rule: Matchmaking,
  { latest, draw, sides }: Pick<OpponentSettings, "latest" | "draw" | "sides">,
  states: readonly OpponentState[],
  { step, problems, episodes, random }: MatchPlace,
): Matches {
  const pool = states.map((each) => poolMember(each));
  const each = draw === "group" ? 1 : episodes;
  const matches = Array.from({ length: problems * each }, (_, game): Match | null => {
    const stream = random.split(`opponents/${game}`);
    if (stream.split("latest").uniform() < latest) return null;
    const side = (step * problems * each + game) % sides.length;
    return { opponent: chosen(rule, step, pool, stream.split("match")), side };
  });
  return (group, episode) => matches[group * each + (draw === "group" ? 0 : episode)] ?? null;
}

function chosen(rule: Matchmaking, step: number, pool: readonly PoolMember[], random: Random): string {
  const names = pool.map(({ name }) => name);
  return checkedCall(
    { name: `the matchmaking ${rule.name}`.trimEnd(), value: "matchmaking", place: `step ${step + 1}` },
    () => rule({ step, pool, random }),
    (given) =>
      typeof given === "string" && names.includes(given)
        ? null
        : `gave ${shownValue(given)}, expected a name of the pool: ${names.join(", ")}`,
  );
}
