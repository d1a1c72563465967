import type { EpisodeKind } from "../protocol.ts";
import { runFiles, type RowPlace } from "@laconic/trainer/reading";

/** Files that episodes stand in. */
export const episodeFiles: Readonly<Record<EpisodeSource, string>> = {
  records: runFiles.records,
  rollouts: runFiles.rollouts,
  episodes: runFiles.episodes,
};

export type EpisodeSource = "records" | "rollouts" | "episodes";

/** A line with episodes, as it lies in its file. */
export interface EpisodeLine {
  /** Among the lines of all files. */
  readonly index: number;
  readonly source: EpisodeSource;
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

export function keyOf({ kind, step }: EpisodeLine): string {
  return `${kind} ${step}`;
}

/** An evaluation comes behind the step that it is made after. */
export function orderOf({ kind, step }: EpisodeLine): number {
  return 2 * step + (kind === "evaluation" ? 1 : 0);
}

/** What the keys of its episodes begin with: the same however often its file is read. */
export function prefixOf({ source, kind, step, number }: EpisodeLine): string {
  if (source === "records") return `${kind === "training" ? "s" : "e"}${step}`;
  return `${source === "rollouts" ? "t" : "x"}${number}`;
}
