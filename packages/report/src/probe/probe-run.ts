import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LaconicError, nearestName, type Episode, type Problem } from "@laconic/core";
import { runFiles, type ProbedFamily, type ProbeRecord } from "@laconic/core/run-folder";
import {
  actorChoice,
  fetchedModel,
  openFoundRun,
  openRun,
  planFamily,
  probeFamilies,
  type FoundRun,
  type OpenedParts,
  type ProbePlan,
  type ProbeSources,
  type Progress,
  type SkippedFamily,
} from "@laconic/runtime";
import { probeProblems, withSource } from "@laconic/runtime/resolver";
import { actorSpending, type ActorCap } from "@laconic/runtime/spending";
import { checkProblems } from "@laconic/tasks";
import { evaluate, livePolicies, type Evaluation, type RecordedEpisode, type TrainingParts } from "@laconic/trainer";
import { figuresOf, pairedFamily, unpairedFamily } from "./compare-family.ts";

/** How a run is probed. */
export interface ProbeOptions {
  /** Test problems, and at most as many of a family. */
  readonly problems: number;
  readonly seed: string;
  /** Which checkpoint. */
  readonly which: "latest" | "best";
  /** Names of families; all when null. */
  readonly families: readonly string[] | null;
  /** A module with problems of the user's own. */
  readonly file: string | null;
  /** Who speaks in `other-actor`, as `--actor` of `eval`. */
  readonly actor: string | null;
  /** Called when an episode is over, with the number of all that are planned so far. */
  readonly onEpisode?: (state: ProbeProgress) => void;
}

/** How far a probe is. */
export interface ProbeProgress {
  readonly family: string;
  readonly episodes: number;
  readonly planned: number;
}

/** What plays the problems of a family, and tells of each episode. */
type Play = (family: string, parts: TrainingParts, problems: readonly Problem[]) => Promise<Played>;

interface Played {
  readonly evaluation: Evaluation;
  readonly episodes: readonly RecordedEpisode[];
}

/**
 * Gives a run's team other problems by families, or other teammates, beside the run's own test problems. Writes `probe.json`.
 * @throws LaconicError `config_invalid` for a family that there is not; `run_missing`, `checkpoint_missing`,
 * `checkpoint_corrupt`; `data_invalid` and `input_invalid` for a file of problems that do not fit; `scoring_failed`
 */
export async function probeRun(
  directory: string,
  options: ProbeOptions,
  progress: Progress,
  cap: ActorCap = {},
): Promise<ProbeRecord> {
  const own = options.file === null ? new Map<string, readonly Problem[]>() : await probeProblems(options.file);
  const families = chosenFamilies(options.families, [...new Set([...probeFamilies, ...own.keys()])]);
  const { found, actor, opened } = await openRun(directory, options.which, async (run) => {
    const chosen = options.actor === null ? null : await actorChoice(options.actor, progress);
    const spending = await actorSpending(chosen?.speaks ?? run.config.actor, cap);
    return { found: run, actor: chosen, opened: await openFoundRun(run, progress, { spending }) };
  });
  try {
    for (const problems of own.values()) checkProblems("problems", problems, opened.task.topology.agents);
    const record = await probed(found, opened, { ...options, families, own, actor, progress });
    await writeFile(join(directory, runFiles.probe), `${JSON.stringify(record, null, 2)}\n`);
    return record;
  } catch (error) {
    throw withSource(error, found.config);
  } finally {
    await opened.close();
  }
}

interface Chosen extends Omit<ProbeOptions, "families" | "actor"> {
  readonly families: readonly string[];
  readonly own: ReadonlyMap<string, readonly Problem[]>;
  readonly actor: Awaited<ReturnType<typeof actorChoice>> | null;
  readonly progress: Progress;
}

async function probed(found: FoundRun, opened: OpenedParts, options: Chosen): Promise<ProbeRecord> {
  const { families, own, seed, progress } = options;
  const problems = opened.task.heldOut.slice(0, options.problems);
  const { parts } = opened;
  const play = player(found, options, problems.length * (1 + families.length));
  const base = await play("base", parts, problems);
  const sources = {
    opened,
    problems,
    base: base.episodes.map(({ episode }): Episode => episode),
    seed,
    actor: options.actor,
    fetched: families.includes("other-actor") ? await fetchedModel(found.config, progress) : null,
  };
  const [done, skipped]: [ProbedFamily[], SkippedFamily[]] = [[], []];
  for (const family of families) {
    const given = own.get(family);
    if (given && !given.every(({ id }) => opened.task.heldOut.some((problem) => problem.id === id))) {
      const played = await play(family, parts, given.slice(0, options.problems));
      done.push(unpairedFamily(family, "problems of your own", base.evaluation, played.evaluation));
      continue;
    }
    const plan = given ? changedBy(given, family, sources) : await planFamily(family, sources);
    if ("reason" in plan) skipped.push(plan);
    else done.push(await playedFamily(plan, base.episodes, play));
  }
  return {
    version: 1,
    step: found.state.step,
    seed,
    base: { problems: base.episodes.length, ...figuresOf(base.episodes) },
    families: done,
    skipped,
  };
}

/** Problems of a user's own that have the ids of test problems stand in their places. */
function changedBy(
  given: readonly Problem[],
  family: string,
  { problems, opened }: Pick<ProbeSources, "problems" | "opened">,
): ProbePlan {
  const byId = new Map(given.map((problem) => [problem.id, problem]));
  const change = "problems of your own, in place of those with their ids";
  return { family, change, problems: problems.map(({ id }) => byId.get(id) ?? null), parts: opened.parts };
}

/** Episodes stand beside those of the base by position, and have their random numbers. */
async function playedFamily(plan: ProbePlan, base: readonly RecordedEpisode[], play: Play): Promise<ProbedFamily> {
  const { family, change, parts } = plan;
  const given = plan.problems.map((problem, i) => problem ?? (base[i] as RecordedEpisode).problem);
  const isKept = (_: unknown, i: number): boolean => plan.problems[i] !== null;
  const of = async (team: TrainingParts): Promise<RecordedEpisode[]> =>
    (await play(family, team, given)).episodes.filter(isKept);
  const compared = pairedFamily(family, change, base.filter(isKept), await of(parts));
  return plan.unheard ? { ...compared, unheard: figuresOf(await of(plan.unheard)).accuracy } : compared;
}

/** @throws LaconicError `config_invalid` naming the family that is nearest */
function chosenFamilies(wanted: readonly string[] | null, known: readonly string[]): readonly string[] {
  for (const name of wanted ?? []) {
    if (known.includes(name)) continue;
    const near = nearestName(name, known);
    const advice = near === undefined ? `there are ${known.join(", ")}` : `did you mean ${near}?`;
    throw new LaconicError("config_invalid", `--families: there is no family "${name}"; ${advice}`, { family: name });
  }
  return wanted ?? known;
}

function player({ config, state }: FoundRun, { seed, onEpisode }: Chosen, planned: number): Play {
  let episodes = 0;
  const { sampling, scoring, limits } = config.train;
  return async (family, parts, problems) => {
    const { topology } = parts.task;
    const counted: TrainingParts["task"]["topology"] = {
      name: topology.name,
      agents: topology.agents,
      run: async (problem, context) => {
        const episode = await topology.run(problem, context);
        onEpisode?.({ family, episodes: ++episodes, planned: Math.max(planned, episodes) });
        return episode;
      },
    };
    const team = { ...parts, task: { ...parts.task, topology: counted, heldOut: problems } };
    const settings = {
      seed,
      step: state.step,
      problems: problems.length,
      sampling,
      scoring,
      ...(limits && { limits }),
    };
    return evaluate(team, livePolicies(team), settings);
  };
}
