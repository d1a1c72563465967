import { LaconicError, type Problem } from "@laconic/core";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import type { ProbedFamily, ProbeRecord } from "@laconic/trainer/reading";
import {
  planFamily,
  type FoundRun,
  type OpenedParts,
  type ProbePlan,
  type ProbeSources,
  type SkippedFamily,
} from "@laconic/runtime";
import { evaluate, evaluationOptions, livePolicies, type Evaluation, type TrainingParts } from "@laconic/trainer";
import { figuresOf, pairedFamily, unpairedFamily } from "./compare-family.ts";

/** How far a probe is. */
export interface ProbeProgress {
  readonly family: string;
  /** That are over. */
  readonly episodes: number;
  /** At most, with those that are over. */
  readonly planned: number;
}

/** What a run's team is given. */
export interface ProbeChoice extends Pick<ProbeSources, "seed" | "actor" | "fetched"> {
  /** Test problems, and at most as many of a family. */
  readonly problems: number;
  readonly families: readonly string[];
  /** User problems by family. */
  readonly own: ReadonlyMap<string, readonly Problem[]>;
  /** Called when an episode is over. */
  readonly onEpisode?: (state: ProbeProgress) => void;
}

/** Plays a family's problems; at most `later` episodes come behind them. */
type Play = (family: string, parts: TrainingParts, problems: readonly Problem[], later: number) => Promise<Played>;

interface Played {
  readonly evaluation: Evaluation;
  readonly episodes: readonly RecordedEpisode[];
}

/**
 * Plays the run's own test problems, then each family beside them.
 * @throws LaconicError `config_invalid` for a task without test problems, and what evaluating throws
 */
export async function playFamilies(found: FoundRun, opened: OpenedParts, choice: ProbeChoice): Promise<ProbeRecord> {
  const { families, own, seed } = choice;
  const { parts, task } = opened;
  const problems = task.testProblems.slice(0, choice.problems);
  if (problems.length === 0)
    throw new LaconicError("config_invalid", `the task ${task.name} has no test problems to compare with`, {});
  const play = player(found, choice);
  const base = await play("test problems", parts, problems, families.length * problems.length);
  const sources = { ...choice, opened, problems, base: base.episodes.map(({ episode }) => episode) };
  const testIds = new Set(task.testProblems.map(({ id }) => id));
  const [done, skipped]: [ProbedFamily[], SkippedFamily[]] = [[], []];
  for (const [i, family] of families.entries()) {
    const later = (families.length - i - 1) * problems.length;
    const given = own.get(family);
    if (given?.some(({ id }) => !testIds.has(id))) {
      const { evaluation } = await play(family, parts, given.slice(0, choice.problems), later);
      done.push(unpairedFamily(family, "problems of your own", base.evaluation, evaluation));
      continue;
    }
    const plan = given ? inPlaceOf(problems, given, family, parts) : await planFamily(family, sources);
    const compared = "reason" in plan ? plan : await playedFamily(plan, base.episodes, play, later);
    if ("reason" in compared) skipped.push(compared);
    else done.push(compared);
  }
  const { measures } = base.evaluation;
  const figures = { problems: base.episodes.length, ...figuresOf(base.episodes), ...(measures && { measures }) };
  return { version: 1, step: found.state.step, seed, base: figures, families: done, skipped };
}

/** Problems of a user's own that have ids of test problems. */
function inPlaceOf(
  problems: readonly Problem[],
  given: readonly Problem[],
  family: string,
  parts: TrainingParts,
): ProbePlan {
  const byId = new Map(given.map((problem) => [problem.id, problem]));
  const change = "your problems, instead of those with their ids";
  return { family, change, problems: problems.map(({ id }) => byId.get(id) ?? null), parts };
}

/** Episodes stand beside those of the base by position, and have their random numbers. */
async function playedFamily(
  { family, change, parts, unheard, ...plan }: ProbePlan,
  base: readonly RecordedEpisode[],
  play: Play,
  later: number,
): Promise<ProbedFamily | SkippedFamily> {
  const given = plan.problems.map((problem, i) => problem ?? (base[i] as RecordedEpisode).problem);
  const isKept = (_: unknown, i: number): boolean => plan.problems[i] !== null;
  const nothing = { family, reason: "no test problem has a counterpart" };
  if (!plan.problems.some(isKept)) return nothing;
  const { episodes, evaluation } = await play(family, parts, given, later + (unheard ? given.length : 0));
  const paired = pairedFamily(family, change, base.filter(isKept), episodes.filter(isKept));
  if (paired.problems === 0) return nothing;
  const { measures } = plan.problems.every(isKept) ? evaluation : {};
  const compared = measures ? { ...paired, probed: { ...paired.probed, measures } } : paired;
  if (!unheard) return compared;
  const deaf = await play(family, unheard, given, later);
  return { ...compared, unheard: figuresOf(deaf.episodes.filter(isKept)).accuracy };
}

/** Episodes are drawn as those of the run's own evaluations. */
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
