import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LaconicError, nearestName } from "@laconic/core";
import { runFiles } from "@laconic/core/run-folder";
import type { ProbeRecord } from "@laconic/trainer/reading";
import {
  actorChoice,
  fetchedModel,
  openFoundRun,
  openRun,
  probeFamilies,
  type Progress,
  type RunChoice,
} from "@laconic/runtime";
import { checkProbeProblems, probeProblems, withSource } from "@laconic/runtime/resolver";
import { actorSpending, type ActorCap } from "@laconic/runtime/spending";
import { playFamilies, type ProbeChoice } from "./play-families.ts";

/** Options of `probeRun`. */
export interface ProbeOptions extends RunChoice, Pick<ProbeChoice, "problems" | "seed" | "onEpisode"> {
  /** Family names; null for all. */
  readonly families: readonly string[] | null;
  /** Module with user problems. A family replaces the built-in one of its name. */
  readonly file: string | null;
  /** Actor in `other-actor`, like `--actor` of `eval`. */
  readonly actor: string | null;
}

/**
 * Compares a run's team with other problems or teammates to its test problems. Writes `probe.json`.
 * @throws LaconicError `config_invalid` for an unknown family; `run_missing`, `checkpoint_missing`,
 * `checkpoint_corrupt`; `data_invalid` for unsuitable problems; `scoring_failed`
 */
export async function probeRun(
  directory: string,
  options: ProbeOptions,
  progress: Progress,
  cap: ActorCap = {},
): Promise<ProbeRecord> {
  const own = await probeProblems(options.file);
  const known = [...new Set([...probeFamilies, ...own.keys()])];
  for (const name of options.families ?? []) {
    if (known.includes(name)) continue;
    const near = nearestName(name, known);
    const advice = near === undefined ? `there are ${known.join(", ")}` : `did you mean ${near}?`;
    throw new LaconicError("config_invalid", `--families: there is no family "${name}"; ${advice}`, { family: name });
  }
  const families = [...new Set(options.families ?? known)];
  const { found, actor, opened } = await openRun(directory, options, async (run) => {
    const chosen = options.actor === null ? null : await actorChoice(options.actor, progress);
    const spending = await actorSpending(chosen?.speaks ?? run.config.actor, cap);
    return { found: run, actor: chosen, opened: await openFoundRun(run, progress, { spending }) };
  });
  try {
    if (options.file !== null) checkProbeProblems(options.file, own, opened.task.topology.agents);
    const fetched = families.includes("other-actor") ? await fetchedModel(found.config, progress) : null;
    const record = await playFamilies(found, opened, { ...options, families, own, actor, fetched });
    await writeFile(join(directory, runFiles.probe), `${JSON.stringify(record, null, 2)}\n`);
    return record;
  } catch (error) {
    throw withSource(error, found.config);
  } finally {
    await opened.close();
  }
}
