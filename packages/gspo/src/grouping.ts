import { LaconicError } from "@laconic/core";
import { checkChoice } from "./check-option.ts";

/** What a sample can be grouped by. */
export interface GroupItem {
  readonly problem: string | number;
  readonly agent?: string;
  readonly turn?: number;
  /** Node of a rollout tree: samples that share the whole joint history. */
  readonly node?: string | number;
}

/** Baseline over all samples of a prompt, of an agent on it, of an agent at one turn of it, or of siblings in a tree. */
export type GroupKey = "prompt" | "prompt+agent" | "prompt+agent+turn" | "tree-node";

const coordinatesOf: Readonly<Record<GroupKey, readonly (keyof GroupItem)[]>> = {
  prompt: ["problem"],
  "prompt+agent": ["problem", "agent"],
  "prompt+agent+turn": ["problem", "agent", "turn"],
  "tree-node": ["problem", "node"],
};

/**
 * Group id per item, numbered in order of appearance.
 * @throws LaconicError `input_invalid` for an item without a coordinate that the key names; `config_invalid` for an unknown key.
 */
export function groupIndex(items: readonly GroupItem[], key: GroupKey): Int32Array {
  checkChoice("groups: the key", key, Object.keys(coordinatesOf));
  return numberNames(
    items.map((item, i) =>
      coordinatesOf[key].map((name) => {
        const value = item[name];
        if (value === undefined)
          throw new LaconicError("input_invalid", `groups by ${key}: item ${i} has no ${name}`, { item: i, key });
        return value;
      }),
    ),
  );
}

/** A number for each name, from 0 in the order in which names first occur. */
export function numberNames(names: readonly unknown[]): Int32Array {
  const ids = new Map<string, number>();
  return Int32Array.from(names, (name) => {
    const key = JSON.stringify(name);
    const id = ids.get(key) ?? ids.size;
    ids.set(key, id);
    return id;
  });
}
