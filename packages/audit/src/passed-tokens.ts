import { exact, type Findings } from "./findings.ts";
import { total } from "./rules/numbers.ts";
import type { PolicyFacts } from "./step-facts.ts";

/**
 * What the passes of an update went over. Tokens follow from the sequences, and the shared fraction from them and the rows. Rows
 * depend on where the engine cut micro-batches: no fewer than the tries of the optimiser steps have nodes, no more than tokens. Rows
 * of older versions have none of the three.
 * @param row - the step's line in `metrics.jsonl`
 * @param prefix - of the policy's metrics there
 */
export function comparePassed(
  policy: PolicyFacts,
  row: Readonly<Record<string, unknown>>,
  prefix: string,
  place: { readonly step: number },
  findings: Findings,
): void {
  const [tokensName, rowsName, fractionName] = [
    `${prefix}actor/tokens_passed`,
    `${prefix}actor/rows_passed`,
    `${prefix}actor/shared_token_fraction`,
  ];
  if (!(tokensName in row)) return;
  const batches = policy.row.updates.map(({ rows }) => rows.map((at) => passedOf(policy, at)));
  const tokens = total(batches.flat().map(({ length }) => length));
  const nodes = total(batches.map(trieNodes));
  const rows = row[rowsName];
  findings.number("metric", place, tokensName, tokens, row[tokensName], exact);
  const isBetween = typeof rows === "number" && rows >= nodes && rows <= tokens;
  findings.same("metric", place, `${rowsName} between ${nodes} and ${tokens}`, true, isBetween);
  const fraction = 1 - (typeof rows === "number" ? rows : Number.NaN) / Math.max(1, tokens);
  findings.number("metric", place, fractionName, fraction, row[fractionName]);
}

/** Nodes of the trie of some sequences: each in order adds what it does not begin with in common with the one before it. */
export function trieNodes(sequences: readonly (readonly number[])[]): number {
  const ordered = sequences.toSorted(compare);
  return total(ordered.map((tokens, i) => tokens.length - commonTokens(ordered[i - 1] ?? [], tokens)));
}

/** Everything of a sequence that something is predicted from: all but its last token. */
function passedOf({ trained }: PolicyFacts, at: number): readonly number[] {
  const { promptTokens = [], tokens = [] } = trained[at]?.utterance.trace ?? {};
  return tokens.length === 0 ? [] : [...promptTokens, ...tokens.slice(0, -1)];
}

function compare(a: readonly number[], b: readonly number[]): number {
  const same = commonTokens(a, b);
  return (a[same] ?? -1) - (b[same] ?? -1);
}

function commonTokens(a: readonly number[], b: readonly number[]): number {
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same += 1;
  return same;
}
