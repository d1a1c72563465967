import { inputError } from "@laconic/core";
import { checkChoice } from "./check-option.ts";

export interface GroupItem {
  readonly problem: string | number;
  readonly agent?: string;
  readonly turn?: number;
  /** Shared by samples with the same joint history. */
  readonly node?: string | number;
}

/** A prompt, an agent on it, an agent's turn on it, or tree siblings. */
export type GroupKey = "prompt" | "prompt+agent" | "prompt+agent+turn" | "tree-node";

const coordinatesOf: Readonly<Record<GroupKey, readonly (keyof GroupItem)[]>> = {
  prompt: ["problem"],
  "prompt+agent": ["problem", "agent"],
  "prompt+agent+turn": ["problem", "agent", "turn"],
  "tree-node": ["problem", "node"],
};

/**
 * Group ids by first appearance.
 * @throws LaconicError `input_invalid` for a missing coordinate; `config_invalid`
 */
export function groupIndex(items: readonly GroupItem[], key: GroupKey): Int32Array {
  checkChoice("groups: the key", key, Object.keys(coordinatesOf));
  return numberNames(
    items.map((item, i) =>
      coordinatesOf[key].map((name) => {
        const value = item[name];
        if (value === undefined) throw inputError(`groups by ${key}: item ${i} has no ${name}`, { item: i, key });
        return value;
      }),
    ),
  );
}

/** Numbers names from 0 by first appearance. */
export function numberNames(names: readonly unknown[]): Int32Array {
  const ids = new Map<string, number>();
  return Int32Array.from(names, (name) => {
    const key = JSON.stringify(name);
    const id = ids.get(key) ?? ids.size;
    ids.set(key, id);
    return id;
  });
}
