import { readFile, writeFile, cp, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { existsSync } from "node:fs";
import { LaconicError, randomFromSeed } from "@laconic/core";
import { parseJson } from "@laconic/core/json";
import { issueWords } from "@laconic/core/schemas";
import { z } from "zod";
import { makeFolders } from "@laconic/core/platform";
import {
  onlyPolicy,
  evaluate,
  livePolicies,
  policyFile,
  supervised,
  type TrainedPolicy,
  type Evaluation,
} from "@laconic/trainer";
import { giveWarmStart, worldCourse } from "@laconic/tasks/warm-start";
import { warmStartBatch, warmStartCurriculum, type RelayLevel, type WarmStartPhase } from "@laconic/tasks";
import { warmStartSettings, type WarmStartSettings, type AppConfig } from "./run-settings.ts";
import type { Progress } from "../progress.ts";
import { parseAppConfig } from "./app-config.ts";
import { ownExamples } from "./supervised-examples.ts";
import { chooseDevice, type ChosenDevice } from "../devices/choose-device.ts";
import { openParts } from "./open-parts.ts";
import { runResources } from "./open-run.ts";
import { freshRelayModel } from "../models/model-folder.ts";

/** Record of the warm start in a model folder. */
export interface WarmStartRecord {
  readonly version: 2;
  /** Includes the model before the warm start. */
  readonly warmStart: WarmStartSettings & { readonly model: string };
  /** Loss of the last step, in nats per token. */
  readonly loss: number;
  /** SHA-256 of custom examples. */
  readonly examples?: string;
}

/** Omits the path of the examples. */
export function recorded<T extends WarmStartSettings>(warmStart: T): T {
  if (warmStart.name !== "examples") return warmStart;
  return { ...warmStart, examples: { ...warmStart.examples, file: basename(warmStart.examples.file) } };
}

const recordFile = "warm-start.json";

const settingsSchema = warmStartSettings.refine(
  (settings): settings is WarmStartRecord["warmStart"] => settings.model !== undefined && settings.seed !== undefined,
  "says no model or no seed",
) as z.ZodType<WarmStartRecord["warmStart"]>;

const recordSchema: z.ZodType<WarmStartRecord> = z.strictObject({
  version: z.literal(2),
  warmStart: settingsSchema,
  loss: z.number(),
  examples: z.string().exactOptional(),
});

/** Warm start of a model folder; null without one. @throws LaconicError `data_invalid` for an invalid record */
export async function warmStartIn(folder: string): Promise<WarmStartRecord | null> {
  const path = join(folder, recordFile);
  const text = await readFile(path, "utf8").catch(() => null);
  if (text === null) return null;
  const parsed = recordSchema.safeParse(parseJson(text, path), { error: issueWords });
  if (parsed.success) return parsed.data;
  throw new LaconicError("data_invalid", `${path} is no record of a warm start; remove it, or train the model again`, {
    path,
  });
}

export async function writeWarmStart(folder: string, record: WarmStartRecord): Promise<void> {
  await writeFile(join(folder, recordFile), `${JSON.stringify(record, null, 2)}\n`);
}

/** Files to copy with the weights. */
const beside = ["tokenizer.json", "tokenizer_config.json", "generation_config.json", "chat_template.jinja"];

export type WarmStartedRun = Pick<AppConfig, "task" | "train" | "policies" | "memory" | "chatTemplateArguments">;

interface Teaching {
  readonly warmStart: WarmStartSettings;
  /** Run with the task of custom examples. */
  readonly run?: WarmStartedRun;
  readonly model: string;
  readonly from: string;
  readonly to: string;
  readonly place: ChosenDevice;
}

/** Trains the model that a run starts from. */
export async function trainWarmStart(
  { warmStart, run, model: given, from, to, place }: Teaching,
  progress: Progress,
): Promise<WarmStartRecord> {
  const { steps } = warmStart;
  const course =
    warmStart.name === "examples" ? ownExamples(warmStart, run ?? { policies: "shared" }) : worldCourse(warmStart);
  const settings = course.task || !run ? parseAppConfig({ task: course.task, model: given }) : { ...run, model: given };
  const resources = { ...(await runResources(given, progress)), testProblems: 0 };
  // All agents share one model.
  const { parts, task, close } = await openParts({ ...settings, policies: "shared" }, place, resources);
  try {
    const { model, speak } = parts.policies[onlyPolicy] as TrainedPolicy;
    const pupil = { model, speaks: speak(model), tokenizer: task.tokenizer, task };
    const loss = await giveWarmStart(course, warmStart, pupil, {
      onStep: (step, now) => progress.warmStartStep({ step, steps, loss: now }),
    });
    await makeFolders(to);
    await model.save(to);
    // Reinforcement learning starts with a new optimizer.
    await rm(join(to, "optimizer.safetensors"), { force: true });
    for (const name of beside) if (existsSync(join(from, name))) await cp(join(from, name), join(to, name));
    const record: WarmStartRecord = { version: 2, warmStart: recorded({ ...warmStart, model: given }), loss };
    await writeWarmStart(to, record);
    return record;
  } finally {
    await close();
  }
}

/** Imitation of the wordy teacher by a relay model. */
export interface RelayWarmStart {
  readonly level: RelayLevel;
  readonly seed: string;
  readonly steps: number;
  readonly batch: number;
  readonly device: string;
  readonly to: string;
  readonly onStep: (step: number, loss: number) => void;
}

/** Trains a new relay model, the start of every relay run. @returns the team on validation problems */
export async function trainRelayWarmStart(
  { level, seed, steps, batch, device: name, to, onStep }: RelayWarmStart,
  progress: Progress,
): Promise<Evaluation> {
  const device = await chooseDevice(name, "auto", (line) => progress.note(line));
  const settings = parseAppConfig({ task: { name: "relay", level: level.name } });
  const resources = await runResources(settings.model, progress);
  const { engine, parts } = await openParts(settings, device, { ...resources, fresh: freshRelayModel(seed) });
  const { model } = parts.policies[onlyPolicy] as TrainedPolicy;
  try {
    await supervised(model, {
      steps,
      batch: (step, random) => warmStartBatch(phaseAt(level, step / steps), batch, random),
      random: randomFromSeed(seed).split("warm-start"),
      optimizer: { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.01, maxGradNorm: 1 },
      learningRate: { peak: 3e-3, warmUpSteps: 50, decay: "cosine", finalFraction: 0 },
      onStep,
    });
    const { evaluation } = await evaluate(parts, livePolicies(parts), {
      seed: "warm-start",
      step: 0,
      problems: 500,
      sampling: { temperature: 1 },
    });
    await makeFolders(to);
    await model.save(to);
    // Reinforcement learning starts with a new optimizer.
    await rm(join(to, "optimizer.safetensors"), { force: true });
    await writeFile(join(to, policyFile), `${JSON.stringify({ task: `relay/${level.name}` }, null, 2)}\n`);
    return evaluation;
  } finally {
    await engine.close();
  }
}

/** Phase at a fraction of the run, in [0, 1). */
function phaseAt(level: RelayLevel, done: number): WarmStartPhase {
  let end = 0;
  const phases = warmStartCurriculum(level);
  return phases.find((phase) => done < (end += phase.share)) ?? (phases.at(-1) as WarmStartPhase);
}
