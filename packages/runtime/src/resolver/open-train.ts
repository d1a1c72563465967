import { resolve } from "node:path";
import {
  isRecord,
  LaconicError,
  type LanguageModel,
  type SupervisedExamples,
  type AgentId,
  type Problem,
  dataError,
} from "@laconic/core";
import type { TrainConfig } from "@laconic/trainer";
import { issueWords } from "@laconic/core/schemas";
import { checkProblems } from "@laconic/tasks";
import * as z from "zod";
import {
  isReference,
  kindAt,
  referencePlace,
  referencesAt,
  partsOfFileText,
  referenceTitle,
  type Reference,
} from "./reference.ts";
import { resolveReference } from "./load-source.ts";

/**
 * Resolves all references except examples.
 * @throws LaconicError `config_invalid` with file and export of an invalid value
 */
export async function openTrain(train: TrainConfig): Promise<TrainConfig> {
  return (await openIn(train, ["train"])) as TrainConfig;
}

async function openIn(value: unknown, path: readonly string[]): Promise<unknown> {
  if (isReference(value)) {
    const kind = kindAt(path);
    return kind === null || kind === "examples" ? value : resolveReference(value, kind);
  }
  if (!isRecord(value)) return value;
  const opened = Object.entries(value).map(async ([key, item]) => [key, await openIn(item, [...path, key])] as const);
  return Object.fromEntries(await Promise.all(opened));
}

/** Examples for mixed training; null without any. Evaluations skip them. */
export async function openMixedExamples({ supervised }: TrainConfig): Promise<SupervisedExamples | null> {
  const examples = supervised?.examples;
  return isReference(examples) ? openExamples(examples) : null;
}

/** @throws LaconicError `config_invalid` for another value than examples, `data_invalid` with file and row */
export async function openExamples(reference: Reference): Promise<SupervisedExamples> {
  return (await resolveReference(reference, "examples")) as SupervisedExamples;
}

export async function openActor(reference: Reference): Promise<LanguageModel> {
  return (await resolveReference(reference, "actor")) as LanguageModel;
}

interface Places {
  readonly task: unknown;
  readonly actor: unknown;
  readonly train: unknown;
}

/** Adds key and file to an error about a value. @param error - its detail names the value's kind */
export function withSource(error: unknown, config: Places): unknown {
  if (!LaconicError.is(error)) return error;
  const sources = sourcesOf(config)[String(error.detail["value"])] ?? [];
  if (sources.length === 0) return error;
  const places = sources.map(([key, reference]) => `${key} is ${referencePlace(reference)}`);
  const [[, { file }] = ["", { file: "" }]] = sources;
  return new LaconicError(error.code, `${error.message} (${places.join(", ")})`, { ...error.detail, file }, error);
}

function sourcesOf(config: Places): Readonly<Record<string, readonly (readonly [string, Reference])[]>> {
  const match: Record<string, (readonly [string, Reference])[]> = {};
  const { task, actor, train } = config;
  for (const [key, reference] of referencesAt({ task, actor, train }))
    (match[kindAt(key.split(".")) ?? ""] ??= []).push([key, reference]);
  const taskAndTeam = [...(match["task"] ?? []), ...(match["team"] ?? [])];
  return { ...match, reward: match["reward"] ?? taskAndTeam, task: taskAndTeam };
}

const rowSchema = z.looseObject({
  id: z.string().min(1),
  question: z.string(),
  gold: z.string(),
  views: z.record(z.string(), z.string()).exactOptional(),
  group: z.string().min(1).exactOptional(),
  family: z.string().min(1).exactOptional(),
});

/**
 * Reads problems by family from a module, in file order. The family is `family`, otherwise `group`, otherwise the
 * reference's title.
 * @param text - `./problems.ts` or `./problems.ts#hard`; null for none
 * @throws LaconicError `config_invalid` with file and export; `data_invalid` for an invalid problem
 */
export async function probeProblems(text: string | null): Promise<ReadonlyMap<string, readonly Problem[]>> {
  const families = new Map<string, Problem[]>();
  if (text === null) return families;
  const { file, export: name } = partsOfFileText(text);
  const reference = { file: resolve(file), export: name };
  const rows = (await resolveReference(reference, "problems", {})) as readonly unknown[];
  if (rows.length === 0) throw dataError(`${text}: the list is empty`, { file });
  for (const [i, row] of rows.entries()) {
    const parsed = rowSchema.safeParse(row, { error: issueWords });
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const key = issue?.path.join(".") ?? "";
      throw dataError(`${text}, problem ${i}${key && `, ${key}`}: ${issue?.message}`, { file });
    }
    const { family: column, ...problem } = parsed.data;
    const family = column ?? problem.group ?? referenceTitle(reference);
    families.set(family, [...(families.get(family) ?? []), problem]);
  }
  return families;
}

/** @throws LaconicError `data_invalid` for a duplicate id or a view of an unknown agent */
export function checkProbeProblems(
  file: string,
  families: ReadonlyMap<string, readonly Problem[]>,
  agents: readonly AgentId[],
): void {
  for (const [family, problems] of families)
    try {
      checkProblems(`${file}, family ${family}, problem`, problems, agents);
    } catch (error) {
      throw dataError((error as Error).message, { file, family }, error);
    }
}
