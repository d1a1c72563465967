import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { LaconicError, type TokenPrice } from "@laconic/core";
import { issueWords } from "@laconic/core/schemas";
import { taskSettingsSchema, type TaskSettings } from "@laconic/worlds/named";
import { z } from "zod";
import { parseJson } from "../cli/json.ts";

/** Everything that a bench of pairs is made of, as its directory keeps it. */
export interface PairConfig {
  readonly tasks: readonly TaskSettings[];
  /** Baselines by name, and trained teams as NAME=RUN. */
  readonly methods: readonly string[];
  /** Of the baselines: a folder, `hub:owner/name` or `shipped`; with `baseUrl` the name that the server knows it by. */
  readonly model: string;
  readonly baseUrl: string | null;
  readonly device: string;
  readonly chatTemplateArguments: Readonly<Record<string, unknown>>;
  readonly problems: number;
  readonly repeats: number;
  readonly seed: string;
  readonly temperature: number;
  readonly topP: number;
  readonly concurrency: number;
  /** Of the baselines' server: the most that may be spent, and what its tokens cost, where known. */
  readonly maxUsd: number | null;
  readonly price: TokenPrice | null;
}

const whole = z.int().min(1);
const schema: z.ZodType<PairConfig> = z.strictObject({
  tasks: z.array(taskSettingsSchema).min(1),
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
  price: z
    .strictObject({ prompt: z.number().min(0), completion: z.number().min(0) })
    .nullable()
    .default(null),
});

export const pairSettingsFile = "pairs.json";
export const pairSamplesFile = "pairs.jsonl";

/** @throws LaconicError `config_invalid` naming the setting */
export function checkPairConfig(value: unknown, place: string): PairConfig {
  const parsed = schema.safeParse(value, { error: issueWords });
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "settings"}: ${message}`);
  throw new LaconicError("config_invalid", `${place}: ${issues.join("; ")}`, { place });
}

/** @throws LaconicError `run_missing` for a directory without a bench of pairs */
export async function readPairConfig(directory: string): Promise<PairConfig> {
  const path = join(directory, pairSettingsFile);
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new LaconicError("run_missing", `there is no ${path} to go on with`, { directory }, error);
  });
  return checkPairConfig(parseJson(text, path), path);
}

/** `writing/tldr`, `code/coophumaneval`, `code/coophumaneval/2`, `relay-writers`, `relay-writers/alike`, or settings as JSON. */
export function pairTask(text: string): unknown {
  if (text.startsWith("{")) return parseJson(text, "--tasks");
  const [name, what, turns = "1"] = text.split("/");
  if (name === "writing") return { name, form: what };
  if (name === "code") return { name, benchmark: what, turns: Number(turns) };
  if (name === "relay-writers" && what !== undefined) return { name, parts: what };
  return { name: text };
}

/** The name and the run directory of a trained team; null for a baseline. */
export function trainedPair(method: string): { readonly name: string; readonly run: string } | null {
  const at = method.indexOf("=");
  if (at < 0) return null;
  const [name, run] = [method.slice(0, at), method.slice(at + 1)];
  if (!/^[\w-]+$/u.test(name) || run === "")
    throw new LaconicError("config_invalid", `${method}: a trained team is written NAME=RUN`, { method });
  return { name, run };
}
