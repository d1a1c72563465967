import type { Episode } from "@laconic/core";
import { costBreakdown, meanBreakdown } from "@laconic/core/ledger";

/** Who reads how much of whom, tokens per episode. */
export interface SpeechEdge {
  readonly from: string;
  readonly to: string;
  readonly tokens: number;
}

/** Tokens read along each edge, means over the episodes. */
export function speechEdges(episodes: readonly Episode[]): SpeechEdge[] {
  const { edges } = meanBreakdown(episodes.map((episode) => costBreakdown(episode, [])));
  return edges.map(({ from, to, tokens }) => ({ from, to, tokens }));
}
