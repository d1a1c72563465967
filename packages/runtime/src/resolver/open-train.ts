import { resolve } from "node:path";
import {
  isRecord,
  LaconicError,
  type LanguageModel,
  type SupervisedExamples,
  type AgentId,
  type Problem,
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
 * Training settings with the values that they refer to. Examples stay references: `openMixedExamples` opens them.
 * @throws LaconicError `config_invalid` naming file and export of what is no value of its kind
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
  const opened = Object.entries(value).map(async ([key, each]) => [key, await openIn(each, [...path, key])] as const);
  return Object.fromEntries(await Promise.all(opened));
}

/** Supervised examples that are mixed in; null where there are none. Evaluations do without. */
export async function openMixedExamples({ supervised }: TrainConfig): Promise<SupervisedExamples | null> {
  const examples = supervised?.examples;
  return isReference(examples) ? openExamples(examples) : null;
}

/** @throws LaconicError `config_invalid` naming what is no list or function of examples, `data_invalid` naming file and row */
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

/**
 * An error about a value with the key and the file that it is of. Other errors come back as they are.
 * @param error - whose detail says the kind of the value
 */
export function withSource(error: unknown, config: Places): unknown {
  if (!LaconicError.is(error)) return error;
  const sources = sourcesOf(config)[String(error.detail["value"])] ?? [];
  if (sources.length === 0) return error;
  const places = sources.map(([key, reference]) => `${key} is ${referencePlace(reference)}`);
  const [[, { file }] = ["", { file: "" }]] = sources;
  return new LaconicError(error.code, `${error.message} (${places.join(", ")})`, { ...error.detail, file }, error);
}

/** References of a configuration by the kind of value that errors name. */
function sourcesOf(config: Places): Readonly<Record<string, readonly (readonly [string, Reference])[]>> {
  const found: Record<string, (readonly [string, Reference])[]> = {};
  const { task, actor, train } = config;
  for (const [key, reference] of referencesAt({ task, actor, train }))
    (found[kindAt(key.split(".")) ?? ""] ??= []).push([key, reference]);
  const taskAndTeam = [...(found["task"] ?? []), ...(found["team"] ?? [])];
  return { ...found, reward: found["reward"] ?? taskAndTeam, task: taskAndTeam };
}

/** A problem with what a benchmark's or a user's problem holds beside. */
const rowSchema = z.looseObject({
  id: z.string().min(1),
  question: z.string(),
  gold: z.string(),
  views: z.record(z.string(), z.string()).exactOptional(),
  group: z.string().min(1).exactOptional(),
  family: z.string().min(1).exactOptional(),
});

/**
 * Problems of a user's own by family, in the order of the file: a list that a module exports, or a function that gives one. A
 * problem's `family` names its family, or its `group`; those without either are of one that is called as the file.
 * @param text - none when null; such as `./problems.ts` or `./problems.ts#hard`
 * @throws LaconicError `config_invalid` naming file and export; `data_invalid` naming what is no problem
 */
export async function probeProblems(text: string | null): Promise<ReadonlyMap<string, readonly Problem[]>> {
  const families = new Map<string, Problem[]>();
  if (text === null) return families;
  const { file, export: name } = partsOfFileText(text);
  const reference = { file: resolve(file), export: name };
  const rows = (await resolveReference(reference, "problems", {})) as readonly unknown[];
  if (rows.length === 0) throw new LaconicError("data_invalid", `${text}: the list is empty`, { file });
  for (const [i, row] of rows.entries()) {
    const parsed = rowSchema.safeParse(row, { error: issueWords });
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const key = issue?.path.join(".") ?? "";
      throw new LaconicError("data_invalid", `${text}, problem ${i}${key && `, ${key}`}: ${issue?.message}`, { file });
    }
    const { family: column, ...problem } = parsed.data;
    const family = column ?? problem.group ?? referenceTitle(reference);
    families.set(family, [...(families.get(family) ?? []), problem]);
  }
  return families;
}

/**
 * Refuses problems that a team cannot be given.
 * @throws LaconicError `data_invalid` naming the problem, for an id that comes twice and a view of an agent that there is not
 */
export function checkProbeProblems(
  file: string,
  families: ReadonlyMap<string, readonly Problem[]>,
  agents: readonly AgentId[],
): void {
  for (const [family, problems] of families)
    try {
      checkProblems(`${file}, family ${family}, problem`, problems, agents);
    } catch (error) {
      throw new LaconicError("data_invalid", (error as Error).message, { file, family }, error);
    }
}
