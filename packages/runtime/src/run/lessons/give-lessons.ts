import { cp, mkdir, rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { onlyPolicy, supervised, type TrainedPolicy } from "@laconic/trainer";
import type { Progress } from "../../progress.ts";
import { parseAppConfig } from "../app-config.ts";
import type { ChosenDevice } from "../../devices/devices.ts";
import { openParts } from "../open-parts.ts";
import { runResources } from "../open-run.ts";
import type { LessonSettings } from "../run-settings.ts";
import { copying } from "./copying.ts";
import type { Course } from "./course.ts";
import { keepingBudgets } from "./keeping-budgets.ts";
import { writeLessons, type LessonRecord } from "./lesson-record.ts";

/** What a model folder says of its tokens and of its ends, beside its weights. */
const beside = ["tokenizer.json", "tokenizer_config.json", "generation_config.json", "chat_template.jinja"];

/** A model before its lessons, and where it goes after them. */
export interface Teaching {
  readonly lessons: LessonSettings;
  /** A folder, or a name of the hub. */
  readonly model: string;
  /** Of its files. */
  readonly from: string;
  readonly to: string;
  readonly place: ChosenDevice;
}

/** Teaches a story model what its lessons are about and writes it into a folder, with a record of them. */
export async function giveLessons(
  { lessons, model: given, from, to, place }: Teaching,
  progress: Progress,
): Promise<LessonRecord> {
  const { steps, batch: size } = lessons;
  const course = courseOf(lessons);
  const settings = parseAppConfig({ task: course.task, model: given });
  const resources = { ...(await runResources(settings.model, progress)), heldOut: 0 };
  const { parts, task, close } = await openParts(settings, place, resources);
  try {
    const { model, speak } = parts.policies[onlyPolicy] as TrainedPolicy;
    const draw = await course.prepare({ model: speak(model), tokenizer: task.tokenizer, most: steps * size });
    let last = Number.NaN;
    await supervised(model, {
      steps,
      batch: (_, random) => draw(size, random),
      random: course.random,
      optimizer: { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 },
      learningRate: { peak: course.peakLearningRate, warmUpSteps: 20, decay: "cosine", finalFraction: 0.05 },
      onStep: (step, loss) => {
        last = loss;
        progress.warmStartStep({ step, steps, loss });
      },
    });
    await mkdir(to, { recursive: true });
    await model.save(to);
    // Reinforcement learning starts a fresh optimiser.
    await rm(join(to, "optimizer.safetensors"), { force: true });
    for (const name of beside) if (existsSync(join(from, name))) await cp(join(from, name), join(to, name));
    const record: LessonRecord = { version: 1, lessons: { ...lessons, model: given }, loss: last };
    await writeLessons(to, record);
    return record;
  } finally {
    await close();
  }
}

function courseOf({ name, seed, form }: LessonSettings): Course {
  const courses: Readonly<Record<LessonSettings["name"], () => Course>> = {
    copying: () => copying(seed),
    budgets: () => keepingBudgets(seed, form),
  };
  return courses[name]();
}
