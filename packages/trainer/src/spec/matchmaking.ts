import type { Matchmaking, PoolMember } from "@laconic/core";

/**
 * Win rate with one more game that is a draw: of nobody 0 or 1, so that everybody is met again.
 */
function smoothed({ games, winRate }: PoolMember): number {
  return (games * winRate + 0.5) / (games + 1);
}

/** Draws in proportion to a weight above 0. */
function weighted(weightOf: (member: PoolMember) => number): Matchmaking {
  return ({ pool, random }) => {
    const weights = pool.map((each) => weightOf(each));
    let rest = random.uniform() * weights.reduce((sum, each) => sum + each, 0);
    const found = pool.find((_, i) => (rest -= weights[i] as number) < 0) ?? pool.at(-1);
    return (found as PoolMember).name;
  };
}

/** Matchmaking by name. `hard` and `even` are prioritised fictitious self-play: AlphaStar's (1 - x)^2 and x (1 - x) of win rates x. */
export const matchmakings: Readonly<Record<"uniform" | "hard" | "even", Matchmaking>> = {
  uniform: ({ pool, random }) => (pool[random.integer(pool.length)] as PoolMember).name,
  hard: weighted((member) => (1 - smoothed(member)) ** 2),
  even: weighted((member) => smoothed(member) * (1 - smoothed(member))),
};
