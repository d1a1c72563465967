import { join } from "node:path";
import { formatUsd } from "@laconic/core/text";
import type { JournalTotals, SpendAccount, SpendJournal } from "@laconic/openai";
import type { Progress } from "../progress.ts";

/** Every paid call of a bench, of pairs, or of a training, in its directory. */
const spendingFile = "spending.jsonl";

/** An account whose calls are on disk before they are sent. */
export interface KeptAccount {
  readonly account: SpendAccount;
  close(): Promise<void>;
}

/**
 * An account that goes on from all calls of a directory, those included that a killed process never saw the end of.
 * @param spentUsd - what the directory's records cost, for one without a journal
 * @throws LaconicError `data_invalid` for a damaged journal, `run_unwritable`
 */
export async function openAccount(
  directory: string,
  maxUsd: number | null,
  spentUsd: number,
  progress: Progress,
): Promise<KeptAccount> {
  const { openSpendJournal, SpendAccount } = await import("@laconic/openai");
  const journal = await openSpendJournal(join(directory, spendingFile), spentUsd);
  sayUnsettled(journal.before, maxUsd, progress);
  const account = new SpendAccount(maxUsd, journal.before.spentUsd);
  account.keepIn(journal);
  return { account, close: () => journal.close() };
}

/** A journal behind an account that several runs share, one after the other; calls of other runs are not in it. */
export async function keepCalls(directory: string, account: SpendAccount): Promise<SpendJournal> {
  const { openSpendJournal } = await import("@laconic/openai");
  const journal = await openSpendJournal(join(directory, spendingFile), 0);
  account.keepIn(journal);
  return journal;
}

/** All calls of a directory so far; null where none is written down. */
export async function readSpent(directory: string): Promise<JournalTotals | null> {
  const { readSpendJournal } = await import("@laconic/openai");
  return readSpendJournal(join(directory, spendingFile));
}

/** US dollars that a directory has spent so far. */
export async function spentIn(directory: string): Promise<number> {
  return (await readSpent(directory))?.spentUsd ?? 0;
}

function sayUnsettled({ unsettled: { calls, usd } }: JournalTotals, maxUsd: number | null, progress: Progress): void {
  if (calls === 0) return;
  progress.note(
    `${calls} calls were running when the process ended: ${maxUsd === null ? "" : "the cap counts "}at most ${formatUsd(usd)} for them`,
  );
}
