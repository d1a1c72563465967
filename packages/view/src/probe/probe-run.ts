import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { configError, nameHint } from "@laconic/core";
import { runFiles } from "@laconic/core/run-folder";
import { columnsOf, formatCells, formatNumber, formatPercent, formatShare, visibleText } from "@laconic/core/text";
import type { Table } from "@laconic/evaluation";
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
import type { ProbeRecord, ProbedFamily } from "@laconic/trainer/reading";
import { playFamilies, type ProbeChoice } from "./play-families.ts";

/** Options of `probeRun`. */
export interface ProbeOptions extends RunChoice, Pick<ProbeChoice, "problems" | "seed" | "onEpisode"> {
  /** Family names; null for all. */
  readonly families: readonly string[] | null;
  /** User problems replace the built-in family of the same name. */
  readonly file: string | null;
  readonly actor: string | null;
}

/**
 * Compares a team with other problems or teammates to its test problems; writes `probe.json`.
 * @throws LaconicError `config_invalid` for an unknown family; `run_missing`, `checkpoint_missing`,
 * `checkpoint_corrupt`; `data_invalid` for unsuitable problems; `scoring_failed`
 */
export async function probeRun(
  directory: string,
  options: ProbeOptions,
  progress: Progress,
  cap: ActorCap = {},
): Promise<ProbeRecord> {
  const added = await probeProblems(options.file);
  const names = [...new Set([...probeFamilies, ...added.keys()])];
  for (const name of options.families ?? []) {
    if (names.includes(name)) continue;
    const hint = nameHint(name, names);
    throw configError(`--families: unknown family "${name}"; ${hint}`, { family: name });
  }
  const families = [...new Set(options.families ?? names)];
  const { foundRun, actor, opened } = await openRun(directory, options, async (run) => {
    const chosen = options.actor === null ? null : await actorChoice(options.actor, progress);
    const spending = await actorSpending(chosen?.speaks ?? run.config.actor, cap);
    return { foundRun: run, actor: chosen, opened: await openFoundRun(run, progress, { spending }) };
  });
  try {
    if (options.file !== null) checkProbeProblems(options.file, added, opened.task.topology.agents);
    const fetched = families.includes("other-actor") ? await fetchedModel(foundRun.config, progress) : null;
    const record = await playFamilies(foundRun, opened, { ...options, families, added, actor, fetched });
    await writeFile(join(directory, runFiles.probe), `${JSON.stringify(record, null, 2)}\n`);
    return record;
  } catch (error) {
    throw withSource(error, foundRun.config);
  } finally {
    await opened.close();
  }
}

export function probeTable({ base, families, step }: ProbeRecord): Table {
  return {
    title: `Other problems and teammates, at step ${step}`,
    columns: [
      "family",
      "problems",
      "accuracy, base",
      "probed",
      "fall, points (95 % interval)",
      "tokens",
      "what changed",
    ],
    rows: formatCells([
      ["test problems", String(base.problems), formatPercent(base.accuracy), "", "", base.tokens, ""],
      ...families.map((family) => [
        family.isPaired ? family.family : `${family.family} (unpaired)`,
        String(family.problems),
        formatPercent(family.base.accuracy),
        formatPercent(family.probed.accuracy),
        fallOf(family),
        family.probed.tokens,
        family.change,
      ]),
    ]),
  };
}

/** Table, explanation, reader without messages, other measures, skipped families. */
export function probeText(record: ProbeRecord): string {
  const { base, families, skipped } = record;
  const { title, columns, rows } = probeTable(record);
  const remarks = ["Fall: accuracy lost against the run's test problems. An interval that contains 0 shows no fall."];
  for (const { family, probed, unheard } of families)
    if (unheard !== undefined)
      remarks.push(
        `${family}: ${formatPercent(probed.accuracy)} from the messages, ${formatPercent(unheard)} without any.`,
      );
  for (const { family, probed } of families)
    for (const [name, value] of Object.entries(probed.measures ?? {})) {
      const before = base.measures?.[name];
      if (before !== undefined) remarks.push(`${family}: ${name} ${formatNumber(before)} -> ${formatNumber(value)}.`);
    }
  for (const { family, reason } of skipped) remarks.push(`no ${family}: ${reason}.`);
  const table = columnsOf([columns.map((column) => column.toUpperCase()), ...rows]);
  return visibleText([title, "", ...table, "", ...remarks].join("\n"));
}

function fallOf({ fall: { value, low, high } }: ProbedFamily): string {
  const interval = low === null || high === null ? "not estimable" : `${formatShare(low)} to ${formatShare(high)}`;
  return `${formatShare(value)} (${interval})`;
}
