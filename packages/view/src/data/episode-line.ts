import type { EpisodeKind } from "../protocol.ts";
import { runFiles } from "@laconic/core/run-folder";
import type { RowPlace } from "@laconic/trainer/reading";

/** Files that episodes stand in. */
export const episodeFiles: Readonly<Record<LineSource, string>> = {
  records: runFiles.records,
  rollouts: runFiles.rollouts,
  episodes: runFiles.episodes,
};

export type LineSource = "records" | "rollouts" | "episodes";

/** A line with episodes, as it lies in its file. */
export interface IndexedLine {
  /** Among the lines of all files. */
  readonly index: number;
  readonly source: LineSource;
  readonly place: RowPlace;
  readonly step: number;
  readonly kind: EpisodeKind;
  /** Counted from 0 in its file. */
  readonly number: number;
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
export function prefixOf({ source, kind, step, number }: IndexedLine): string {
  if (source === "records") return `${kind === "training" ? "s" : "e"}${step}`;
  return `${source === "rollouts" ? "t" : "x"}${number}`;
}
