import { open } from "node:fs/promises";
import { findShapeMismatch, group, type Completion, type Shape, type TokenTrace, type TokenUsage } from "@laconic/core";
import { tryParseJson } from "@laconic/core/json";
import { finishReasons } from "@laconic/core/wire";
import { tokenUsageShape } from "@laconic/core/ledger";
import { openAppender, readJsonLines } from "@laconic/core/platform";

/** Totals of a journal. */
export interface JournalTotals {
  /** US dollars: settled calls at their cost, others at their reservation. */
  readonly spentUsd: number;
  /** Calls that were sent or about to be sent. */
  readonly calls: number;
  /** Calls without a known outcome, and their US dollars. */
  readonly unsettled: { readonly calls: number; readonly usd: number };
}

/** Result of a call. */
export interface CallReply {
  readonly completion: Completion;
  /** Hash of all inputs; null stores usage only. */
  readonly key: string | null;
}

/** Calls and replies on disk, written before use. A killed process loses no paid reply. */
export interface SpendJournal {
  /** Opening time. */
  readonly before: JournalTotals;
  /** Returns a reply of an earlier process, each once and in order; null for none. */
  replay(key: string): Promise<Completion | null>;
  /**
   * Writes a call with its max cost.
   * @returns a function that settles it on disk; never rejects
   * @throws LaconicError `run_unwritable`; then the call must not be sent
   */
  begin(reservedUsd: number): Promise<(spentUsd: number, reply?: CallReply) => Promise<void>>;
  close(): Promise<void>;
}

interface Before {
  readonly before: number;
}
interface Begun {
  readonly call: number;
  readonly reserved: number;
}
interface Settled {
  readonly call: number;
  readonly usd: number;
  readonly usage?: TokenUsage;
  readonly key?: string;
  readonly reply?: Completion;
}

type Line = Before | Begun | Settled;

const tokens: Shape = { kind: "list", of: "count" };
const orNull: Shape = { kind: "either", of: ["number", { kind: "choice", of: [null] }] };

const completionShape = group<Completion>({
  text: { shape: "text" },
  finishReason: { shape: { kind: "choice", of: finishReasons } },
  usage: { shape: tokenUsageShape },
  model: { shape: group<Completion["model"]>({ id: { shape: "text" }, weightVersion: { shape: "count" } }) },
  trace: {
    shape: group<Pick<TokenTrace, "promptTokens" | "tokens" | "logProbs">>({
      promptTokens: { shape: tokens },
      tokens: { shape: tokens },
      logProbs: { shape: { kind: "list", of: "number" } },
    }),
    optional: true,
  },
  promptLogProbs: { shape: { kind: "list", of: orNull }, optional: true },
});

const number = { shape: "positive" } as const;
const dollars = { shape: "atLeast0" } as const;
const lineShape: Shape = {
  kind: "either",
  of: [
    group<Before>({ before: dollars }),
    group<Begun>({ call: number, reserved: dollars }),
    group<Settled>({
      call: number,
      usd: dollars,
      usage: { shape: tokenUsageShape, optional: true },
      key: { shape: "text", optional: true },
      reply: { shape: completionShape, optional: true },
    }),
  ],
};

/**
 * Reads a journal; null if missing. A torn last line was never sent.
 * @throws LaconicError `data_invalid` with file and row
 */
export async function readSpendJournal(path: string): Promise<JournalTotals | null> {
  return (await readLines(path))?.totals ?? null;
}

/**
 * Opens a journal for appending.
 * @param spentUsd - cost before the journal existed; used for a new file only
 * @throws LaconicError `data_invalid` for a damaged file, `run_unwritable`
 */
export async function openSpendJournal(path: string, spentUsd = 0): Promise<SpendJournal> {
  const lines = await readLines(path);
  const file = await openAppender(path, lines?.bytes ?? 0, "no call is sent whose cost cannot be recorded");
  const replies = lines?.replies ?? new Map<string, Place[]>();
  let last = lines?.last ?? 0;
  const append = (line: Line): Promise<void> => file.append(`${JSON.stringify(line)}\n`);
  if (!lines && spentUsd > 0)
    await append({ before: spentUsd }).catch(async (error: unknown) => {
      await file.close();
      throw error;
    });
  return {
    before: lines?.totals ?? { ...nothing, spentUsd },
    async replay(key) {
      const location = replies.get(key)?.shift();
      return location ? readReply(path, location) : null;
    },
    async begin(reserved) {
      const call = ++last;
      await append({ call, reserved });
      return (usd, reply) => append({ call, usd, ...keptOf(reply) }).catch(() => undefined);
    },
    close: () => file.close(),
  };
}

const nothing: JournalTotals = { spentUsd: 0, calls: 0, unsettled: { calls: 0, usd: 0 } };

interface Place {
  readonly start: number;
  readonly end: number;
}

function keptOf(reply: CallReply | undefined): Pick<Settled, "usage" | "key" | "reply"> {
  if (!reply) return {};
  const { key, completion } = reply;
  return key === null ? { usage: completion.usage } : { key, reply: completion };
}

/** Null for an unreadable entry, which is requested again. */
async function readReply(path: string, { start, end }: Place): Promise<Completion | null> {
  const line = Buffer.alloc(end - start);
  const file = await open(path);
  try {
    await file.read(line, 0, line.length, start);
    return (tryParseJson(line.toString()) as Settled | undefined)?.reply ?? null;
  } catch {
    return null;
  } finally {
    await file.close();
  }
}

interface KnownLines {
  /** Offsets of replies by key, in order. */
  readonly replies: Map<string, Place[]>;
  readonly totals: JournalTotals;
  readonly last: number;
  readonly bytes: number;
}

async function readLines(path: string): Promise<KnownLines | null> {
  const waiting = new Map<number, number>();
  let [last, calls, spentUsd] = [0, 0, 0];
  const replies = new Map<string, Place[]>();
  const bytes = await readJsonLines(path, "a spending journal", (value, start, end) => {
    if (findShapeMismatch(lineShape, value)) return false;
    const line = value as Line;
    if ("before" in line) spentUsd += line.before;
    else if ("reserved" in line) {
      [last, calls] = [Math.max(last, line.call), calls + 1];
      waiting.set(line.call, line.reserved);
    } else if (waiting.delete(line.call)) {
      spentUsd += line.usd;
      if (line.reply && line.key !== undefined) {
        const places = replies.get(line.key) ?? [];
        places.push({ start, end });
        replies.set(line.key, places);
      }
    }
    return true;
  });
  if (bytes === 0) return null;
  const unsettled = { calls: waiting.size, usd: [...waiting.values()].reduce((sum, value) => sum + value, 0) };
  return { totals: { spentUsd: spentUsd + unsettled.usd, calls, unsettled }, last, bytes, replies };
}
