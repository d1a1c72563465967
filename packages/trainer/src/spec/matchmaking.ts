import type { Matchmaking, PoolMember } from "@laconic/core";

/** Win rate with one extra draw, so that it is never 0 or 1 and every opponent is met again. */
function smoothed({ games, winRate }: PoolMember): number {
  return (games * winRate + 0.5) / (games + 1);
}

/** Draws in proportion to positive weights. */
function weighted(weightOf: (member: PoolMember) => number): Matchmaking {
  return ({ pool, random }) => {
    const weights = pool.map((each) => weightOf(each));
    let rest = random.uniform() * weights.reduce((sum, each) => sum + each, 0);
    const found = pool.find((_, i) => (rest -= weights[i] as number) < 0) ?? pool.at(-1);
    return (found as PoolMember).name;
  };
}

/**
 * Named matchmaking rules. `hard` and `even` are AlphaStar's prioritised fictitious self-play, with weights (1 - x)^2
 * and x (1 - x) for win rate x.
 */
export const matchmakings: Readonly<Record<"uniform" | "hard" | "even", Matchmaking>> = {
  uniform: ({ pool, random }) => (pool[random.integer(pool.length)] as PoolMember).name,
  hard: weighted((member) => (1 - smoothed(member)) ** 2),
  even: weighted((member) => smoothed(member) * (1 - smoothed(member))),
};
