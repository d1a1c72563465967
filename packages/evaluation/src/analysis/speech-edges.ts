import { ledgerTotals, type Episode } from "@laconic/core";

/** Who reads how much of whom, tokens per episode. */
export interface SpeechEdge {
  readonly from: string;
  readonly to: string;
  readonly tokens: number;
}

/** Tokens read along each edge, means over the episodes. */
export function speechEdges(episodes: readonly Episode[]): SpeechEdge[] {
  const totals = new Map<string, number>();
  for (const { ledger } of episodes)
    for (const [edge, tokens] of Object.entries(ledgerTotals(ledger).readByEdge))
      totals.set(edge, (totals.get(edge) ?? 0) + tokens);
  return [...totals].map(([edge, tokens]) => {
    const [from = "", to = ""] = edge.split("->");
    return { from, to, tokens: tokens / Math.max(1, episodes.length) };
  });
}
