import { configError, type Problem } from "@laconic/core";
import { meanOf } from "@laconic/core/numeric";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import { pairedDifference } from "@laconic/evaluation";
import {
  planFamily,
  type FoundRun,
  type OpenedParts,
  type ProbePlan,
  type ProbeSources,
  type SkippedFamily,
} from "@laconic/runtime";
import { evaluate, evaluationOptions, livePolicies, type Evaluation, type TrainingParts } from "@laconic/trainer";
import type { ProbedFamily, ProbeRecord, ProbeFigures } from "@laconic/trainer/reading";
import { differenceOf, type Figure } from "../runs/compare-runs.ts";

/** Progress of a probe. */
export interface ProbeProgress {
  readonly family: string;
  readonly episodes: number;
  readonly planned: number;
}

export interface ProbeChoice extends Pick<ProbeSources, "seed" | "actor" | "fetched"> {
  readonly problems: number;
  readonly families: readonly string[];
  readonly added: ReadonlyMap<string, readonly Problem[]>;
  readonly onEpisode?: (state: ProbeProgress) => void;
}

/** @param later - max episodes after these */
type Play = (
  family: string,
  parts: TrainingParts,
  problems: readonly Problem[],
  later: number,
) => ReturnType<typeof evaluate>;

/**
 * Plays the run's test problems, then each family.
 * @throws LaconicError `config_invalid` for a task without test problems
 */
export async function playFamilies(foundRun: FoundRun, opened: OpenedParts, choice: ProbeChoice): Promise<ProbeRecord> {
  const { families, added, seed } = choice;
  const { parts, task } = opened;
  const problems = task.testProblems.slice(0, choice.problems);
  if (problems.length === 0) throw configError(`the task ${task.name} has no test problems to compare with`, {});
  const play = player(foundRun, choice);
  const base = await play("test problems", parts, problems, families.length * problems.length);
  const sources = { ...choice, opened, problems, base: base.episodes.map(({ episode }) => episode) };
  const testIds = new Set(task.testProblems.map(({ id }) => id));
  const [probed, skipped]: [ProbedFamily[], SkippedFamily[]] = [[], []];
  for (const [i, family] of families.entries()) {
    const later = (families.length - i - 1) * problems.length;
    const custom = added.get(family);
    if (custom?.some(({ id }) => !testIds.has(id))) {
      const { evaluation } = await play(family, parts, custom.slice(0, choice.problems), later);
      probed.push(unpairedFamily(family, "your problems", base.evaluation, evaluation));
      continue;
    }
    const byId = custom && new Map(custom.map((problem) => [problem.id, problem]));
    const plan = byId
      ? {
          family,
          change: "your problems, instead of those with their ids",
          problems: problems.map(({ id }) => byId.get(id) ?? null),
          parts,
        }
      : await planFamily(family, sources);
    const result = "reason" in plan ? plan : await playPaired(plan, base.episodes, play, later);
    if ("reason" in result) skipped.push(result);
    else probed.push(result);
  }
  const { measures } = base.evaluation;
  const figures = { problems: base.episodes.length, ...figuresOf(base.episodes), ...(measures && { measures }) };
  return { version: 1, step: foundRun.state.step, seed, base: figures, families: probed, skipped };
}

/** Uses the random numbers of the base episode. */
async function playPaired(
  { family, change, parts, unheard, problems }: ProbePlan,
  base: readonly RecordedEpisode[],
  play: Play,
  later: number,
): Promise<ProbedFamily | SkippedFamily> {
  const played = problems.map((problem, i) => problem ?? base[i]!.problem);
  const hasCounterpart = (_: unknown, i: number): boolean => problems[i] !== null;
  const nothing = { family, reason: "no test problem has a counterpart" };
  if (!problems.some(hasCounterpart)) return nothing;
  const { episodes, evaluation } = await play(family, parts, played, later + (unheard ? played.length : 0));
  const paired = pairedFamily(family, change, base.filter(hasCounterpart), episodes.filter(hasCounterpart));
  if (paired.problems === 0) return nothing;
  const { measures } = problems.every(hasCounterpart) ? evaluation : {};
  const result = measures ? { ...paired, probed: { ...paired.probed, measures } } : paired;
  if (!unheard) return result;
  const deaf = await play(family, unheard, played, later);
  return { ...result, unheard: figuresOf(deaf.episodes.filter(hasCounterpart)).accuracy };
}

function player({ config, state }: FoundRun, { seed, onEpisode }: ProbeChoice): Play {
  let episodes = 0;
  return async (family, parts, problems, later) => {
    const { topology } = parts.task;
    const planned = episodes + problems.length + later;
    const counted: typeof topology = {
      name: topology.name,
      agents: topology.agents,
      run: async (problem, context) => {
        const episode = await topology.run(problem, context);
        onEpisode?.({ family, episodes: ++episodes, planned });
        return episode;
      },
    };
    const team = { ...parts, task: { ...parts.task, topology: counted, testProblems: problems } };
    const settings = { ...evaluationOptions(config.train), seed, step: state.step, problems: problems.length };
    return evaluate(team, livePolicies(team), settings);
  };
}

function figuresOf(episodes: readonly RecordedEpisode[]): ProbeFigures {
  const grades = episodes.map(gradeOf).filter((grade) => !Number.isNaN(grade));
  const calls = episodes.flatMap(({ episode }) => episode.ledger.calls);
  const tokens = calls.reduce((sum, { writtenTokens }) => sum + writtenTokens, 0);
  return { accuracy: meanOf(grades) ?? 0, tokens: tokens / Math.max(1, episodes.length) };
}

/** Skips pairs without both grades. */
export function pairedFamily(
  family: string,
  change: string,
  base: readonly RecordedEpisode[],
  probed: readonly RecordedEpisode[],
): ProbedFamily {
  const isGraded = (_: unknown, i: number): boolean =>
    !Number.isNaN(gradeOf(base[i])) && !Number.isNaN(gradeOf(probed[i]));
  const [before, after] = [base.filter(isGraded), probed.filter(isGraded)];
  const pairs = before.map((episode, i) => [gradeOf(episode), gradeOf(after[i])] as const);
  return {
    family,
    change,
    problems: pairs.length,
    isPaired: true,
    base: figuresOf(before),
    probed: figuresOf(after),
    fall: pairedDifference([pairs], "difference") ?? { value: 0, low: null, high: null },
  };
}

/** The base has other problems, so both intervals are independent. */
export function unpairedFamily(family: string, change: string, base: Evaluation, probed: Evaluation): ProbedFamily {
  const accuracyOf = ({ accuracy, interval }: Evaluation): Figure => ({ mean: accuracy, values: [accuracy], interval });
  const { value, low, high } = differenceOf(accuracyOf(probed), accuracyOf(base))!;
  return {
    family,
    change,
    problems: probed.problems,
    isPaired: false,
    base: { accuracy: base.accuracy, tokens: base.tokens },
    probed: { accuracy: probed.accuracy, tokens: probed.tokens },
    fall: { value, low, high },
  };
}

function gradeOf(recorded: RecordedEpisode | undefined): number {
  return recorded?.task ?? Number.NaN;
}
