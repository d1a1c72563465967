import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { runPairs, type PairSummary } from "@laconic/evaluation";
import {
  inBenchFolder,
  makeBenchFolder,
  pairMethod,
  pairSettingsFile,
  taskRecords,
  writePairReport,
  type PairConfig,
} from "@laconic/evaluation/bench";
import { taskTitle, type TaskSettings } from "@laconic/tasks/named";
import { keepBenchMade } from "./bench-trust.ts";
import { openPairs } from "./open-pairs.ts";
import type { Progress } from "../progress.ts";
import type { Interrupts } from "../start/run-context.ts";
import { openAccount } from "../spending/kept-account.ts";
import type { Spending } from "../spending/spending.ts";

/** What teams on tasks came to. */
export interface TaskOutcome {
  readonly stopped: string | null;
  readonly summaries: readonly PairSummary[];
  readonly markdown: string;
  /** US dollars; absent where nothing is paid for. */
  readonly spentUsd?: number;
}

/** How far a bench may go. */
export interface TaskLimits extends Pick<Spending, "deadlineMs"> {
  /** Failed samples after which it stops. */
  readonly maxErrors: number;
  readonly interrupts: () => Interrupts;
}

/** Opens the teams, takes the samples that are missing or failed, and writes the report. */
export async function playTasks(
  directory: string,
  config: PairConfig<TaskSettings>,
  { maxErrors, interrupts, ...deadline }: TaskLimits,
  progress: Progress,
): Promise<TaskOutcome> {
  const { repeats, seed, concurrency, tasks, methods } = config;
  await makeBenchFolder(directory);
  return inBenchFolder(
    directory,
    taskRecords(config),
    (spentUsd) => openAccount(directory, config.maxUsd, spentUsd, progress),
    async (file, account) => {
      const { boards, close } = await openPairs(config, { account, ...deadline }, progress);
      try {
        await writeFile(join(directory, pairSettingsFile), `${JSON.stringify(config, null, 2)}\n`);
        await keepBenchMade(directory, config, progress);
        const { signal, dispose } = interrupts();
        const clock = (): number => performance.now();
        const stopped = await runPairs(boards, file, {
          repeats,
          seed,
          concurrency,
          maxErrors,
          clock,
          signal,
        }).finally(dispose);
        const report = await writePairReport(directory, file.records.values(), {
          tasks: tasks.map((task) => taskTitle(task)),
          methods: methods.map((method) => pairMethod(method).name),
        });
        const isPaid = config.price !== null && config.baseUrl !== null;
        return { stopped, ...report, ...(isPaid && { spentUsd: account.spentUsd }) };
      } finally {
        await close();
      }
    },
  );
}
