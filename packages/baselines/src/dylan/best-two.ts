import type { Random } from "@laconic/core";

/**
 * The two that a listwise ranking names, as `[i, j]`, from 1; the last such pair counts. Numbers are clipped to the range. Another
 * reply, and one that names the same twice, has two drawn: the released code lets the same one go on twice.
 * @returns positions from 0
 */
export function bestTwo(reply: string, count: number, random: Random): number[] {
  const pair = [...reply.matchAll(/\[\s*(\d{1,6})\s*,\s*(\d{1,6})\s*\]/gu)].at(-1);
  const [first, second] = [pair?.[1], pair?.[2]].map((each) => Math.min(count, Math.max(1, Number(each))) - 1);
  if (pair && first !== second) return [first as number, second as number];
  return random.shuffle(Array.from({ length: count }, (_, i) => i)).slice(0, 2);
}
