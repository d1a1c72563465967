import type { Said } from "./costs.ts";
import type { Known, SettingsOf } from "./schema.ts";

const options = {
  sides: "any",
  latest: "number",
  matchmaking: ["uniform", "hard", "even"],
  draw: ["group", "episode"],
  every: "number",
  keep: "number",
  drop: ["oldest", "beaten", "spread"],
  runs: "any",
  against: "any",
  priced: "any",
} as const;

/** What is known of the settings of opponents. */
export const knownOpponents: Known = options;

/** Settings of opponents, as a configuration keeps them. */
export type OpponentSettings = Omit<SettingsOf<typeof options>, "sides" | "runs" | "priced"> & {
  readonly sides: readonly (readonly string[])[];
  readonly runs: readonly string[];
  readonly priced: readonly string[];
};

/** An opponent of the pool: steps behind a past self, null for another run; games so far, and what they were worth. */
export interface Rival {
  readonly name: string;
  readonly step: number | null;
  games: number;
  points: number;
}

/** The words and calls that no opponent said. */
export function ownSaid({ utterances, ledger }: Said): Said {
  const isOwn = (each: { readonly opponent?: string }): boolean => each.opponent === undefined;
  return { utterances: utterances.filter(isOwn), ledger: { calls: ledger.calls.filter(isOwn) } };
}

/** The pool that a run begins with. */
export function firstRivals({ runs }: OpponentSettings): Rival[] {
  const fresh = (name: string, step: number | null): Rival => ({ name, step, games: 0, points: 0 });
  return [fresh("step-0", 0), ...runs.map((name) => fresh(name, null))];
}

/** Share of its games that learners won; half without games. */
export function rate({ games, points }: Rival): number {
  return games === 0 ? 0.5 : points / games;
}

/** With a past self more, and without those that are too many. */
export function grown(pool: readonly Rival[], step: number, { keep, drop, every }: OpponentSettings): Rival[] {
  let selves = [...pool.filter((each) => each.step !== null), { name: `step-${step}`, step, games: 0, points: 0 }];
  const twos = (number: number): number => (number % 2 === 0 ? 1 + twos(number / 2) : 0);
  const rank = (each: Rival): number => {
    if (drop === "beaten") return -rate(each);
    if (drop === "spread") return each.step === 0 ? Infinity : twos((each.step ?? 0) / every);
    return each.step ?? 0;
  };
  while (selves.length > keep) {
    const [leaves] = selves.slice(0, -1).toSorted((a, b) => rank(a) - rank(b) || 0);
    selves = selves.filter((each) => each !== leaves);
  }
  return [...selves, ...pool.filter((each) => each.step === null)];
}
