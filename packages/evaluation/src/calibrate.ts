import type { BenchmarkProblem } from "@laconic/benchmarks";
import { LaconicError, randomFromSeed, type Ledger } from "@laconic/core";
import { sumLedgers, tokenCounts, type TokenCounts } from "@laconic/core/ledger";
import type { Ask } from "@laconic/rewards";
import { settingOf, type BenchJob, type BenchSettings } from "./bench-job.ts";
import { gradeOf } from "./grade-of.ts";
import type { InformationSetting } from "./sample-record.ts";
import { spendingOf } from "./spending.ts";
import { givenTo, gradersOf, methodOptions, modelsFor, temperatureOf, type BenchParts } from "./bench-parts.ts";

/** What a method learned before it was scored, and what that took: counted apart from its samples. */
export interface CalibrationRecord extends TokenCounts {
  readonly benchmark: string;
  readonly method: string;
  readonly setting: InformationSetting;
  readonly config: string;
  readonly learned: unknown;
  readonly questions: number;
  readonly calls: number;
  /** US dollars; null where no price is known, and in records of before it was kept. */
  readonly usd: number | null;
}

/**
 * Has a method learn on a benchmark's calibration questions.
 * @throws LaconicError `data_invalid` without such questions: a test's own are never used; `scoring_failed` for an answer that
 * gets no verdict twice, which is not taken for a wrong one
 */
export async function calibrateMethod(
  job: BenchJob,
  settings: BenchSettings,
  parts: BenchParts,
  ask: Ask,
  signal: AbortSignal | undefined,
): Promise<CalibrationRecord> {
  const { method, set, config } = job;
  const graders = gradersOf(set.benchmark, parts);
  const { seed } = settings;
  const questions = set.calibration;
  if (questions.length === 0)
    throw new LaconicError(
      "data_invalid",
      `${method.name} learns on questions of ${set.benchmark} that are not the test's, and none are here`,
      { benchmark: set.benchmark, method: method.name },
    );
  const random = randomFromSeed(`${seed}/${set.benchmark}/${method.name}/calibration`);
  const ledgers: Ledger[] = [];
  const costs: (number | null)[] = [];
  const learned = await method.calibrate?.(
    methodOptions({ ...job, problem: questions[0] as BenchmarkProblem }, settings, parts),
    {
      questions: questions.length,
      seed,
      utility: async (index, team) => {
        const problem = questions[index] as BenchmarkProblem;
        const episode = await team.run(givenTo(job, problem), {
          models: modelsFor(method, team, parts),
          sampling: { temperature: temperatureOf(job, settings) },
          random: random.split(ledgers.length),
          ...(signal && { signal }),
        });
        ledgers.push(episode.ledger);
        costs.push(spendingOf(episode.ledger, method, parts).usd);
        const grade = (): ReturnType<typeof gradeOf> => gradeOf(episode.answer, problem, graders, ask, signal);
        const first = await grade();
        if (signal?.aborted) throw new LaconicError("aborted", `${method.name}: its calibration was aborted`);
        const { correct, error } = first.status === "scored" ? first : await grade();
        if (correct !== null) return correct ? 1 : 0;
        throw new LaconicError(
          "scoring_failed",
          `${method.name} cannot learn on ${set.benchmark}: the answer to ${problem.id} gets no verdict: ${error}`,
          { benchmark: set.benchmark, method: method.name, problem: problem.id },
        );
      },
    },
  );
  const totals = sumLedgers(ledgers);
  return {
    benchmark: set.benchmark,
    method: method.name,
    setting: settingOf(job),
    config,
    learned,
    questions: questions.length,
    calls: totals.calls,
    ...tokenCounts(totals),
    usd: costs.includes(null) ? null : costs.reduce<number>((sum, each) => sum + (each ?? 0), 0),
  };
}
