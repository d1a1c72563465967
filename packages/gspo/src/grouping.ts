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

/** Group id per item, numbered in order of appearance. */
export function groupIndex(items: readonly GroupItem[], key: GroupKey): Int32Array {
  const ids = new Map<string, number>();
  return Int32Array.from(items, (item) => {
    const name = JSON.stringify(keyOf(item, key));
    const id = ids.get(name) ?? ids.size;
    ids.set(name, id);
    return id;
  });
}

function keyOf({ problem, agent = "", turn = 0, node = "" }: GroupItem, key: GroupKey): readonly (string | number)[] {
  switch (key) {
    case "prompt":
      return [problem];
    case "prompt+agent":
      return [problem, agent];
    case "prompt+agent+turn":
      return [problem, agent, turn];
    case "tree-node":
      return [problem, node];
  }
}
