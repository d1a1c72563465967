import {
  estimate,
  openJobs,
  runBench,
  settingOf,
  type BenchJob,
  type BenchParts,
  type BenchSettings,
  type CalibrationRecord,
  type InformationSetting,
  type RecordFile,
} from "@laconic/evaluation";
import type { Counted, ServedChat } from "./count-proxy.ts";
import { besideGolden, type BesideGolden } from "./beside-golden.ts";

/** What a method took, by everybody who counts. */
export interface MethodCheck extends BesideGolden {
  readonly server: string;
  readonly method: string;
  readonly benchmark: string;
  readonly setting: InformationSetting;
  readonly samples: number;
  readonly errors: number;
  /** Questions that it learned on first; their calls are in all three counts. */
  readonly calibration: number;
  readonly recorded: Usage;
  readonly served: Counted;
  readonly planned: Usage & { readonly likelyPromptTokens: number };
  /** Records and server agree to the token, and nothing failed. */
  readonly equal: boolean;
  /** Nothing passes the plan. */
  readonly within: boolean;
  readonly seconds: number;
}

interface Usage {
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

const usage = ["calls", "promptTokens", "completionTokens"] as const;

/**
 * @param group - samples of one method on one benchmark in one setting
 * @param team - samples of the team whose tokens it takes, for a method of equal tokens: their records are there
 */
export async function checkMethod(
  server: string,
  group: readonly BenchJob[],
  team: readonly BenchJob[],
  settings: BenchSettings,
  {
    parts,
    file,
    served,
    chats,
    concurrency,
  }: {
    readonly parts: BenchParts;
    readonly file: RecordFile;
    readonly served: Counted;
    /** As they came over the wire. */
    readonly chats: () => readonly ServedChat[];
    readonly concurrency: number;
  },
): Promise<MethodCheck> {
  const [job] = group as [BenchJob];
  const learned: CalibrationRecord[] = [];
  const start = performance.now();
  const outcome = await runBench(openJobs(group, file.records), settings, parts, file, {
    concurrency,
    maxErrors: null,
    onLearned: async (record) => void learned.push(record),
  });
  if (outcome.stopped !== null) throw new Error(`${job.method.name} on ${job.set.benchmark}: ${outcome.stopped}`);
  const records = group.flatMap(({ key }) => file.records.get(key) ?? []);
  const [all, teamAlone] = [estimate([...team, ...group], settings), estimate(team, settings)];
  const planned = {
    ...sumOf(usage, (key) => all[key] - teamAlone[key]),
    likelyPromptTokens: all.likelyPromptTokens - teamAlone.likelyPromptTokens,
  };
  const counted: readonly Usage[] = [...records, ...learned];
  const recorded = sumOf(usage, (key) => counted.reduce((total, each) => total + each[key], 0));
  return {
    server,
    method: job.method.name,
    benchmark: job.set.benchmark,
    setting: settingOf(job),
    samples: records.length,
    errors: records.filter(({ status }) => status !== "scored").length,
    calibration: learned.reduce((total, { questions }) => total + questions, 0),
    recorded,
    served: { ...served },
    planned,
    equal:
      records.length === group.length && served.failed === 0 && usage.every((key) => recorded[key] === served[key]),
    within: usage.every((key) => served[key] <= planned[key]),
    ...(await besideGolden(group, chats())),
    seconds: (performance.now() - start) / 1000,
  };
}

function sumOf<Key extends string>(keys: readonly Key[], value: (key: Key) => number): Record<Key, number> {
  return Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<Key, number>;
}
