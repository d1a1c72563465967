import { join } from "node:path";
import { tokenCost } from "@laconic/core/ledger";
import { makeFolder, writing } from "@laconic/core/platform";
import { pairRecords, type PairRecord } from "../pairs/pair-record.ts";
import { openRecordsOf, sampleRecords, type RecordFile, type RecordKind } from "../record-file.ts";
import type { SampleRecord } from "../sample-record.ts";
import { samplesFile } from "./bench-config.ts";
import { readCalibrations } from "./calibration-file.ts";
import { pairMethod, pairSamplesFile, type PairConfig } from "./pair-config.ts";

/** Records of a bench's directory, and what they cost. */
export interface BenchRecords<Kept> {
  readonly file: string;
  readonly kind: RecordKind<Kept>;
  /** US dollars, where they are known: for a directory without a journal of its calls. */
  spentOn(records: readonly Kept[], directory: string): Promise<number>;
}

/** Of methods on questions. */
export const questionRecords: BenchRecords<SampleRecord> = {
  file: samplesFile,
  kind: sampleRecords,
  spentOn: async (records, directory) =>
    [...records, ...(await readCalibrations(directory))].reduce((sum, { usd }) => sum + (usd ?? 0), 0),
};

/** Of teams on tasks: samples of the baselines' server cost, weights on this machine do not. */
export function taskRecords({
  methods,
  baseUrl,
  price,
}: Pick<PairConfig, "methods" | "baseUrl" | "price">): BenchRecords<PairRecord> {
  const baselines = new Set(methods.map((method) => pairMethod(method)).flatMap((m) => (m.run === null ? m.name : [])));
  return {
    file: pairSamplesFile,
    kind: pairRecords,
    spentOn: async (records) =>
      price === null || baseUrl === null
        ? 0
        : records.filter(({ method }) => baselines.has(method)).reduce((sum, each) => sum + tokenCost(price, each), 0),
  };
}

/** An account of calls that is kept while samples are taken. */
interface OpenAccount<Account> {
  readonly account: Account;
  close(): Promise<void>;
}

/** Makes a bench's directory where it is not there; a loss of power does not take it. @throws LaconicError `run_unwritable` */
export function makeBenchFolder(directory: string): Promise<void> {
  return writing(directory, () => makeFolder(directory));
}

/**
 * Takes samples in a bench's directory: opens its records and the account of its calls, and closes both however it ends.
 * @param openAccount - given what the records cost: the cap is the bench's, however often it goes on, or is killed
 */
export async function inBenchFolder<Kept, Account, Result>(
  directory: string,
  { file: name, kind, spentOn }: BenchRecords<Kept>,
  openAccount: (spentUsd: number) => Promise<OpenAccount<Account>>,
  work: (file: RecordFile<Kept>, account: Account) => Promise<Result>,
): Promise<Result> {
  const file = await openRecordsOf(kind, join(directory, name));
  try {
    const { account, close } = await openAccount(await spentOn([...file.records.values()], directory));
    try {
      return await work(file, account);
    } finally {
      await close();
    }
  } finally {
    await file.close();
  }
}
