import { environmentName, ledgerTotals, type Ledger, type LedgerCall, type LedgerTotals } from "./ledger.ts";
import type { AgentId } from "../problem.ts";
import { sumKinds, type TokenKinds } from "./token-usage.ts";

/** Longest chain of calls that read the previous message or belong to a later round, as in MAGRPO's speed-up. */
export function criticalPath({ calls }: Ledger): Readonly<Record<"calls" | "writtenTokens", number>> {
  const path = longestPath(calls, ({ writtenTokens }) => writtenTokens);
  return { calls: path.calls, writtenTokens: path.length };
}

/** Seconds with full parallelism; null without timing. */
export function criticalSeconds({ calls }: Ledger): number | null {
  if (calls.some(({ seconds }) => seconds === undefined)) return null;
  return longestPath(calls, ({ seconds = 0 }) => seconds).length;
}

interface Path {
  readonly calls: number;
  readonly length: number;
}

function longestPath(calls: readonly LedgerCall[], lengthOf: (call: LedgerCall) => number): Path {
  const best = new Map<number, Path>();
  let longest: Path = { calls: 0, length: 0 };
  for (const call of calls) {
    let before: Path = { calls: 0, length: 0 };
    for (const earlier of calls) {
      if (earlier.turn >= call.turn) break;
      const path = best.get(earlier.turn);
      if (path && waitsFor(call, earlier) && path.length > before.length) before = path;
    }
    const path = { calls: before.calls + 1, length: before.length + lengthOf(call) };
    best.set(call.turn, path);
    if (path.length > longest.length) longest = path;
  }
  return longest;
}

function waitsFor(call: LedgerCall, earlier: LedgerCall): boolean {
  return earlier.round < call.round || call.reads.some(({ turn }) => turn === earlier.turn);
}

/** Tokens read per delivered token: 1 if each message is read once; null without reads. */
export function broadcastAmplification(ledger: Ledger): number | null {
  const received = new Map<number, number>();
  let read = 0;
  for (const call of ledger.calls)
    for (const { from, turn, tokens } of call.reads) {
      if (from === environmentName) continue; // environment observations
      received.set(turn, tokens);
      read += tokens;
    }
  const written = [...received.values()].reduce((sum, tokens) => sum + tokens, 0);
  return written === 0 ? null : read / written;
}

/** Share of silent turns by agent. */
export function silenceRates(
  utterances: Iterable<{ readonly agent: AgentId; readonly silent: boolean }>,
): Readonly<Record<AgentId, number>> {
  const counts = new Map<AgentId, { turns: number; silent: number }>();
  for (const { agent, silent } of utterances) {
    const count = counts.get(agent) ?? { turns: 0, silent: 0 };
    count.turns++;
    if (silent) count.silent++;
    counts.set(agent, count);
  }
  return Object.fromEntries([...counts].map(([agent, { turns, silent }]) => [agent, silent / turns]));
}

/** Sums ledgers. */
export function sumLedgers(
  ledgers: Iterable<Ledger>,
): Pick<LedgerTotals, "calls" | "promptTokens" | "writtenTokens" | "readTokens" | keyof TokenKinds> {
  const calls = [...ledgers].flatMap((ledger) => ledger.calls);
  const { promptTokens, writtenTokens, readTokens } = ledgerTotals({ calls });
  return { calls: calls.length, promptTokens, writtenTokens, readTokens, ...sumKinds(calls) };
}
