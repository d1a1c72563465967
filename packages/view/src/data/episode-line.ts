import type { EpisodeEntry } from "@laconic/trainer/reading";
import type { EpisodeKind } from "../protocol.ts";

/** An entry with episodes, and its rows in the table. */
export interface IndexedLine {
  /** Among the entries of all files. */
  readonly index: number;
  readonly entry: EpisodeEntry;
  readonly step: number;
  readonly kind: EpisodeKind;
  /** Its rows in the table; none while it waits, or when it cannot be read. */
  first: number;
  rows: number;
  state: "waiting" | "read" | "unreadable";
}

export function keyOf({ kind, step }: IndexedLine): string {
  return `${kind} ${step}`;
}

/** An evaluation comes behind the step that it is made after. */
export function orderOf({ kind, step }: IndexedLine): number {
  return 2 * step + (kind === "evaluation" ? 1 : 0);
}

/** What the keys of its episodes begin with: the same however often its file is read. */
export function prefixOf({ kind, step }: IndexedLine): string {
  return `${kind === "training" ? "s" : "e"}${step}`;
}
