import type { Random } from "@laconic/core";

/** Draws problems, each at most once before all have been drawn. */
export function drawFrom<P>(problems: readonly P[]): (random: Random, count: number) => P[] {
  return (random, count) =>
    Array.from({ length: Math.ceil(count / problems.length) }, () => random.shuffle(problems))
      .flat()
      .slice(0, count);
}
