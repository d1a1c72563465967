import { cp, rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { makeFolders } from "@laconic/core/platform";
import { onlyPolicy, type TrainedPolicy } from "@laconic/trainer";
import { giveWarmStart, worldCourse, type Course } from "@laconic/tasks/warm-start";
import type { Progress } from "../../progress.ts";
import { parseAppConfig } from "../app-config.ts";
import { ownExamples } from "./own-examples.ts";
import type { ChosenDevice } from "../../devices/choose-device.ts";
import { openParts } from "../open-parts.ts";
import { runResources } from "../open-run.ts";
import type { AppConfig, WarmStartSettings } from "../run-settings.ts";
import { recorded, writeWarmStart, type WarmStartRecord } from "./warm-start-record.ts";

/** What a model folder says of its tokens and of its ends, beside its weights. */
const beside = ["tokenizer.json", "tokenizer_config.json", "generation_config.json", "chat_template.jinja"];

/** What of a run its warm start depends on. */
export type WarmStartedRun = Pick<AppConfig, "task" | "train" | "policies" | "memory" | "chatTemplateArguments">;

/** A model before its warm start, and where it goes after it. */
export interface Teaching {
  readonly warmStart: WarmStartSettings;
  /** Whose warm start it is; examples of one's own are of its task. */
  readonly run?: WarmStartedRun;
  /** A folder, or a name of the hub. */
  readonly model: string;
  /** Of its files. */
  readonly from: string;
  readonly to: string;
  readonly place: ChosenDevice;
}

/** Trains a model on examples and writes it into a folder, with a record of that. */
export async function trainWarmStart(
  { warmStart, run, model: given, from, to, place }: Teaching,
  progress: Progress,
): Promise<WarmStartRecord> {
  const { steps } = warmStart;
  const course = courseOf(warmStart, run);
  const settings = course.task || !run ? parseAppConfig({ task: course.task, model: given }) : { ...run, model: given };
  const resources = { ...(await runResources(given, progress)), testProblems: 0 };
  // One model, whoever will speak with it.
  const { parts, task, close } = await openParts({ ...settings, policies: "shared" }, place, resources);
  try {
    const { model, speak } = parts.policies[onlyPolicy] as TrainedPolicy;
    const pupil = { model, speaks: speak(model), tokenizer: task.tokenizer, task };
    const loss = await giveWarmStart(course, warmStart, pupil, {
      onStep: (step, now) => progress.warmStartStep({ step, steps, loss: now }),
    });
    await makeFolders(to);
    await model.save(to);
    // Reinforcement learning starts a fresh optimiser.
    await rm(join(to, "optimizer.safetensors"), { force: true });
    for (const name of beside) if (existsSync(join(from, name))) await cp(join(from, name), join(to, name));
    const record: WarmStartRecord = { version: 2, warmStart: recorded({ ...warmStart, model: given }), loss };
    await writeWarmStart(to, record);
    return record;
  } finally {
    await close();
  }
}

function courseOf(warmStart: WarmStartSettings, run: Pick<AppConfig, "policies"> = { policies: "shared" }): Course {
  return warmStart.name === "examples" ? ownExamples(warmStart, run) : worldCourse(warmStart);
}
