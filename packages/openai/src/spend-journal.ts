import { open } from "node:fs/promises";
import {
  findShapeMismatch,
  group,
  shapes,
  type Completion,
  type Shape,
  type TokenTrace,
  type TokenUsage,
} from "@laconic/core";
import { tryParseJson } from "@laconic/core/json";
import { finishReasons } from "@laconic/core/wire";
import { tokenUsageShape } from "@laconic/core/ledger";
import { openAppender, readJsonLines } from "@laconic/core/platform";

/** What a journal's calls came to. */
export interface JournalTotals {
  /** US dollars of all calls: settled ones at their cost, others at their reservation. */
  readonly spentUsd: number;
  /** Attempts that were sent, or were about to be. */
  readonly calls: number;
  /** Of these, calls whose end nobody saw, and the US dollars reserved for them. */
  readonly unsettled: { readonly calls: number; readonly usd: number };
}

/** What a call brought. */
export interface CallReply {
  readonly completion: Completion;
  /** Hash of all that decides the reply; null keeps its usage alone. */
  readonly key: string | null;
}

/** Calls on disk, each before it is sent, and replies before they are used: what was paid for stays known when the process is killed. */
export interface SpendJournal {
  /** When it was opened. */
  readonly before: JournalTotals;
  /**
   * Takes a reply that was there when it was opened. Calls with the same key give theirs in order, each once.
   * @returns null for none
   */
  replay(key: string): Promise<Completion | null>;
  /**
   * Writes a call with the most that it can cost; on disk once this resolves.
   * @returns how to settle it, on disk once that resolves; never rejects
   * @throws LaconicError `run_unwritable`; the call must not be sent then
   */
  begin(reservedUsd: number): Promise<(spentUsd: number, reply?: CallReply) => Promise<void>>;
  /** Waits for what is being written. */
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
  /** Of a reply that is not kept. */
  readonly usage?: TokenUsage;
  /** SHA-256 of all that decides the reply. */
  readonly key?: string;
  readonly reply?: Completion;
}

type Line = Before | Begun | Settled;

const tokens: Shape = { kind: "list", of: shapes.count };
const orNull: Shape = { kind: "either", of: [shapes.number, { kind: "choice", of: [null] }] };

/** A completion on disk. */
const completionShape = group<Completion>({
  text: { shape: shapes.text },
  finishReason: { shape: { kind: "choice", of: finishReasons } },
  usage: { shape: tokenUsageShape },
  model: {
    shape: group<Completion["model"]>({ id: { shape: shapes.text }, weightVersion: { shape: shapes.count } }),
  },
  trace: {
    shape: group<Pick<TokenTrace, "promptTokens" | "tokens" | "logProbs">>({
      promptTokens: { shape: tokens },
      tokens: { shape: tokens },
      logProbs: { shape: { kind: "list", of: shapes.number } },
    }),
    optional: true,
  },
  promptLogProbs: { shape: { kind: "list", of: orNull }, optional: true },
});

const number = { shape: shapes.positive };
const dollars = { shape: shapes.atLeast0 };
const lineShape: Shape = {
  kind: "either",
  of: [
    group<Before>({ before: dollars }),
    group<Begun>({ call: number, reserved: dollars }),
    group<Settled>({
      call: number,
      usd: dollars,
      usage: { shape: tokenUsageShape, optional: true },
      key: { shape: shapes.text, optional: true },
      reply: { shape: completionShape, optional: true },
    }),
  ],
};

/**
 * Reads a journal; a torn last line is left out, because its call was never sent.
 * @returns null where there is none
 * @throws LaconicError `data_invalid` with file and row
 */
export async function readSpendJournal(path: string): Promise<JournalTotals | null> {
  return (await readLines(path))?.totals ?? null;
}

/**
 * Opens a journal to go on with it.
 * @param spentUsd - what the same work cost before it had a journal: counts for a new one alone
 * @throws LaconicError `data_invalid` for a damaged one, `run_unwritable`
 */
export async function openSpendJournal(path: string, spentUsd = 0): Promise<SpendJournal> {
  const known = await readLines(path);
  const file = await openAppender(path, known?.bytes ?? 0, "no call is made whose cost cannot be kept");
  const replies = known?.replies ?? new Map<string, Place[]>();
  let last = known?.last ?? 0;
  const append = (line: Line): Promise<void> => file.append(`${JSON.stringify(line)}\n`);
  if (!known && spentUsd > 0)
    await append({ before: spentUsd }).catch(async (error: unknown) => {
      await file.close();
      throw error;
    });
  return {
    before: known?.totals ?? { ...nothing, spentUsd },
    async replay(key) {
      const place = replies.get(key)?.shift();
      return place ? readReply(path, place) : null;
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

/** Bytes of a line. */
interface Place {
  readonly start: number;
  readonly end: number;
}

function keptOf(reply: CallReply | undefined): Pick<Settled, "usage" | "key" | "reply"> {
  if (!reply) return {};
  const { key, completion } = reply;
  return key === null ? { usage: completion.usage } : { key, reply: completion };
}

/** Null for one that cannot be read: it is asked for again. */
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
  /** Where replies are, by key, in their order. */
  readonly replies: Map<string, Place[]>;
  readonly totals: JournalTotals;
  /** The last call's number. */
  readonly last: number;
  /** Of complete lines. */
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
  const unsettled = { calls: waiting.size, usd: [...waiting.values()].reduce((sum, each) => sum + each, 0) };
  return { totals: { spentUsd: spentUsd + unsettled.usd, calls, unsettled }, last, bytes, replies };
}
