import type { KindName } from "./kinds.ts";

/** Where a configuration takes values of a user's own; `*` is any key. */
const places: readonly (readonly [key: string, kind: KindName])[] = [
  ["task", "task"],
  ["task.team", "team"],
  ["task.team.*", "team"],
  ["actor", "actor"],
  ["sinks.*", "sink"],
  ["train.reward", "reward"],
  ["train.advantage", "estimator"],
  ["train.objective", "objective"],
  ["train.costs.*", "cost"],
  ["train.policies.*.advantage", "estimator"],
  ["train.policies.*.objective", "objective"],
];

/** What kind of value may stand at a key; null where only settings do. */
export function kindAt(path: readonly string[]): KindName | null {
  const found = places.find(([key]) => {
    const parts = key.split(".");
    return parts.length === path.length && parts.every((part, i) => part === "*" || part === path[i]);
  });
  return found?.[1] ?? null;
}

/** For messages. */
export const valueKeys: string = places.map(([key]) => key.replaceAll("*", "NAME")).join(", ");
