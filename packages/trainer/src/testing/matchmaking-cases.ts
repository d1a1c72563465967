import { randomFromSeed, type Matchmaking, type MatchRequest, type PoolMember } from "@laconic/core";
import { expectThat, type ConformanceCase } from "@laconic/core/testing";

const self = (step: number, games: number, winRate: number): PoolMember => ({
  name: `step-${step}`,
  step,
  games,
  winRate,
});
const pools: readonly (readonly PoolMember[])[] = [
  [self(0, 0, 0.5)],
  [self(0, 40, 1), self(10, 12, 0.75), self(20, 0, 0.5)],
  [self(0, 8, 0), self(10, 8, 1), { name: "runs/other", step: null, games: 3, winRate: 1 }],
];

const draws = 50;

function drawn(rule: Matchmaking, pool: readonly PoolMember[]): string[] {
  const random = randomFromSeed("matchmaking");
  return Array.from({ length: draws }, (_, step) => rule({ step, pool, random: random.split(step) }));
}

function frozen(pool: readonly PoolMember[]): readonly PoolMember[] {
  return Object.freeze(pool.map((member) => Object.freeze({ ...member })));
}

/** Conformance cases for any matchmaking and pool. */
export const matchmakingCases: readonly ConformanceCase<Matchmaking>[] = [
  {
    name: "names one of the pool, of one member as of several",
    async run(create) {
      const rule = await create();
      for (const pool of pools) {
        const names = pool.map(({ name }) => name);
        const stranger = drawn(rule, pool).find((text) => !names.includes(text));
        expectThat(stranger === undefined, `one of ${names.join(", ")}, got ${String(stranger)}`);
      }
    },
  },
  {
    name: "is pure: the same request has the same answer, in any order, and stays as it was",
    async run(create) {
      const rule = await create();
      const there = pools.map((pool) => drawn(rule, frozen(pool)));
      const back = pools.toReversed().map((pool) => drawn(rule, frozen(pool)));
      expectThat(JSON.stringify(there) === JSON.stringify(back.toReversed()), "the same names again");
    },
  },
  {
    name: "draws from the request's stream alone: two instances agree",
    async run(create) {
      const [one, other] = [await create(), await create()];
      const request = (step: number): MatchRequest => ({
        step,
        pool: pools[1] as readonly PoolMember[],
        random: randomFromSeed(step),
      });
      for (let step = 0; step < draws; step++) {
        const [first, second] = [one(request(step)), other(request(step))];
        expectThat(first === second, `the same opponent at step ${step}, got ${first} and ${second}`);
      }
    },
  },
];
