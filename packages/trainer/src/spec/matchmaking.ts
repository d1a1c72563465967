import type { Matchmaking, PoolMember } from "@laconic/core";

/** Adds a draw to keep the rate above 0 and below 1, so that every opponent is met again. */
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
 * `hard` and `even` are AlphaStar's prioritised fictitious self-play, with weights (1 - x)^2 and x (1 - x) for win rate
 * x.
 */
export const matchmakings: Readonly<Record<"uniform" | "hard" | "even", Matchmaking>> = {
  uniform: ({ pool, random }) => (pool[random.integer(pool.length)] as PoolMember).name,
  hard: weighted((member) => (1 - smoothed(member)) ** 2),
  even: weighted((member) => smoothed(member) * (1 - smoothed(member))),
};
