import { join } from "node:path";
import { parseJson } from "@laconic/core/json";
import type { TokenPrice } from "@laconic/core/ledger";
import { z } from "zod";
import {
  priceSchema,
  methodSpecOf,
  type BenchConfig,
  type MethodSpec,
  checkSettings,
  readSettings,
} from "./bench-config.ts";

/** Settings of a bench of teams on tasks. @typeParam Task - task settings */
export interface PairConfig<Task = unknown> extends Pick<BenchConfig, "repeats" | "seed" | "concurrency" | "maxUsd"> {
  readonly tasks: readonly Task[];
  /** Baselines by name, and trained teams as NAME=RUN. */
  readonly methods: readonly string[];
  /** Baselines' model: a folder, `hub:owner/name`, `shipped`, or its name at `baseUrl`. */
  readonly model: string;
  readonly baseUrl: string | null;
  readonly device: string;
  readonly chatTemplateArguments: Readonly<Record<string, unknown>>;
  readonly problems: number;
  readonly temperature: number;
  readonly topP: number;
  readonly price: TokenPrice | null;
}

const whole = z.int().min(1);
function schemaOf<Task>(task: z.ZodType<Task>): z.ZodType<PairConfig<Task>> {
  return z.strictObject({
    tasks: z.array(task).min(1),
    methods: z.array(z.string().min(1)).min(1),
    model: z.string().min(1),
    baseUrl: z.string().min(1).nullable(),
    device: z.string().min(1),
    chatTemplateArguments: z.record(z.string(), z.json()),
    problems: whole,
    repeats: whole,
    seed: z.string(),
    temperature: z.number().min(0).max(2),
    topP: z.number().gt(0).max(1),
    concurrency: whole,
    maxUsd: z.number().positive().nullable().default(null),
    price: priceSchema.default(null),
  });
}

/** Settings file of a bench of tasks. */
export const pairSettingsFile = "pairs.json";
export const pairSamplesFile = "pairs.jsonl";

/** @throws LaconicError `config_invalid` naming the setting */
export function checkPairConfig<Task>(value: unknown, task: z.ZodType<Task>, location: string): PairConfig<Task> {
  return checkSettings(schemaOf(task), value, location);
}

/** @throws LaconicError `run_missing` for a folder without a bench of tasks */
export async function readPairConfig<Task>(directory: string, task: z.ZodType<Task>): Promise<PairConfig<Task>> {
  return checkPairConfig(await readSettings(directory, pairSettingsFile), task, join(directory, pairSettingsFile));
}

/**
 * Parses `writing/tldr`, `code/coophumaneval/2`, `relay-writers/alike`, or JSON settings.
 * @throws LaconicError `config_invalid` for invalid JSON
 */
export function pairTask(text: string): unknown {
  if (text.startsWith("{")) return parseJson(text, "--tasks");
  const [name, what, turns = "1"] = text.split("/");
  if (name === "writing") return { name, form: what };
  if (name === "code") return { name, benchmark: what, turns: Number(turns) };
  if (name === "relay-writers" && what !== undefined) return { name, parts: what };
  return { name: text };
}

/** Trained team or baseline. @throws LaconicError `config_invalid` */
export function pairMethod(text: string): MethodSpec {
  return methodSpecOf(text, (name) => name);
}
