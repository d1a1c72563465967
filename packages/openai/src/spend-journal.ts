import {
  findShapeMismatch,
  group,
  LaconicError,
  shapes,
  tokenUsageShape,
  tryParseJson,
  type Shape,
  type TokenUsage,
} from "@laconic/core";
import { fileLines, openToAppend, writing } from "@laconic/core/platform";

/** What a journal's calls came to. */
export interface JournalTotals {
  /** US dollars of all calls: settled ones at their cost, others at their reservation. */
  readonly spentUsd: number;
  /** Attempts that were sent, or were about to be. */
  readonly calls: number;
  /** Of these, calls whose end nobody saw, and the US dollars reserved for them. */
  readonly unsettled: { readonly calls: number; readonly usd: number };
}

/** Calls on disk, each before it is sent: what was paid for stays known when the process is killed. */
export interface SpendJournal {
  /** When it was opened. */
  readonly before: JournalTotals;
  /**
   * Writes a call with the most that it can cost; on disk once this resolves.
   * @returns how to settle it
   * @throws LaconicError `run_unwritable`; the call must not be sent then
   */
  begin(reservedUsd: number): Promise<(spentUsd: number, usage?: TokenUsage) => void>;
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
  /** Absent for a call without a reply. */
  readonly usage?: TokenUsage;
}

type Line = Before | Begun | Settled;

const number = { shape: shapes.positive };
const dollars = { shape: shapes.atLeast0 };
const lineShape: Shape = {
  kind: "either",
  of: [
    group<Before>({ before: dollars }),
    group<Begun>({ call: number, reserved: dollars }),
    group<Settled>({ call: number, usd: dollars, usage: { shape: tokenUsageShape, optional: true } }),
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
  const file = await written(path, () => openToAppend(path, known?.bytes ?? 0));
  let last = known?.last ?? 0;
  let batch: string = "";
  let current: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  const write = async (): Promise<void> => {
    const text = batch;
    [batch, next] = ["", null];
    await written(path, async () => {
      await file.appendFile(text);
      await file.datasync();
    });
  };
  /** One sync for all lines that came while the last one ran; after a failure nothing is written any more. */
  const append = (line: Line): Promise<void> => {
    batch += `${JSON.stringify(line)}\n`;
    if (next === null) {
      next = current.then(write);
      current = next;
      current.catch(() => undefined);
    }
    return next;
  };
  const close = async (): Promise<void> => {
    await current.catch(() => undefined);
    await file.close();
  };
  if (!known && spentUsd > 0)
    await append({ before: spentUsd }).catch(async (error: unknown) => {
      await close();
      throw error;
    });
  return {
    before: known?.totals ?? { ...nothing, spentUsd },
    async begin(reserved) {
      const call = ++last;
      await append({ call, reserved });
      return (usd, usage) => void append({ call, usd, ...(usage && { usage }) }).catch(() => undefined);
    },
    close,
  };
}

const nothing: JournalTotals = { spentUsd: 0, calls: 0, unsettled: { calls: 0, usd: 0 } };

interface KnownLines {
  readonly totals: JournalTotals;
  /** The last call's number. */
  readonly last: number;
  /** Of complete lines. */
  readonly bytes: number;
}

async function readLines(path: string): Promise<KnownLines | null> {
  const waiting = new Map<number, number>();
  let last = 0;
  let calls = 0;
  let spentUsd = 0;
  let bytes = 0;
  for await (const { text, row, end } of fileLines(path)) {
    bytes = end;
    const entry = parsed(text);
    if (!entry)
      throw new LaconicError("data_invalid", `${path}:${row}: the line is none of a spending journal; put it back`, {
        path,
        row,
      });
    if ("before" in entry) spentUsd += entry.before;
    else if ("reserved" in entry) {
      [last, calls] = [Math.max(last, entry.call), calls + 1];
      waiting.set(entry.call, entry.reserved);
    } else if (waiting.delete(entry.call)) spentUsd += entry.usd;
  }
  if (bytes === 0) return null;
  const unsettled = { calls: waiting.size, usd: [...waiting.values()].reduce((sum, each) => sum + each, 0) };
  return {
    totals: { spentUsd: spentUsd + unsettled.usd, calls, unsettled },
    last,
    bytes,
  };
}

function parsed(line: string): Line | null {
  const value = tryParseJson(line);
  return findShapeMismatch(lineShape, value) ? null : (value as Line);
}

function written<T>(path: string, write: () => Promise<T>): Promise<T> {
  return writing(path, write, "no call is made whose cost cannot be kept");
}
