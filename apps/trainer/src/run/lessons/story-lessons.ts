import { cp, mkdir, rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { LanguageModel, Random, Tokenizer, TrainingSequence } from "@laconic/core";
import type { TaskSettings } from "@laconic/tasks/named";
import { onlyPolicy, supervised, type TrainedPolicy } from "@laconic/trainer";
import type { Terminal } from "../../cli/terminal.ts";
import { parseAppConfig } from "../app-config.ts";
import type { ChosenDevice } from "../devices.ts";
import { openParts } from "../open-parts.ts";
import { runResources } from "../open-run.ts";

/** A model before its lessons, and where it goes after them. */
export interface Teaching {
  /** A folder, or a name of the hub. */
  readonly model: string;
  /** Of its files. */
  readonly from: string;
  readonly to: string;
  readonly place: ChosenDevice;
  readonly steps: number;
  /** Lessons a step. */
  readonly batch: number;
}

/** What lessons are made of: the model as it was, what it reads, and how many lessons there will be. */
export interface LessonSource {
  readonly model: LanguageModel;
  readonly tokenizer: Tokenizer;
  readonly most: number;
}

/** Lessons of one kind. */
export interface Course {
  /** The world that the lessons are for. */
  readonly task: TaskSettings;
  readonly peakLearningRate: number;
  /** Asks the model what lessons need, and draws the lessons of a step. */
  prepare(source: LessonSource): Promise<(size: number, random: Random) => readonly TrainingSequence[]>;
  /** The stream of its steps. */
  readonly random: Random;
}

/** What the model as it was says behind a text, up to the end of a sentence. */
export interface GoneOn {
  readonly promptTokens: readonly number[];
  readonly completionTokens: readonly number[];
  readonly finishReason: string;
}

/** What the model says behind each text, in their order. */
export function goneOn(
  model: LanguageModel,
  texts: readonly string[],
  maxTokens: number,
  random: Random,
): Promise<GoneOn[]> {
  return Promise.all(
    texts.map(async (text, i) => {
      const { trace, finishReason } = await model.complete({
        prompt: { kind: "text", text },
        sampling: { temperature: 1, maxTokens, stop: [".", "!", "\n"] },
        random: random.split(i).state(),
      });
      return { promptTokens: trace?.promptTokens ?? [], completionTokens: trace?.tokens ?? [], finishReason };
    }),
  );
}

/** What a model folder says of its tokens and of its ends, beside its weights. */
const beside = ["tokenizer.json", "tokenizer_config.json", "generation_config.json", "chat_template.jinja"];

/** Teaches a story model a course and writes it into a folder. Returns the last loss, nats per token. */
export async function teach(
  course: Course,
  { model: given, from, to, place, steps, batch: size }: Teaching,
  terminal: Terminal,
): Promise<number> {
  const settings = parseAppConfig({ task: course.task, model: given });
  const resources = { ...(await runResources(settings.model, terminal)), heldOut: 0 };
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
        const line = `lessons: step ${step}/${steps}  loss ${loss.toFixed(4)}`;
        if (terminal.interactive) terminal.status(line);
        else if (step % 50 === 0 || step === steps) terminal.note(line);
      },
    });
    terminal.status("");
    await mkdir(to, { recursive: true });
    await model.save(to);
    // Reinforcement learning starts a fresh optimiser.
    await rm(join(to, "optimizer.safetensors"), { force: true });
    for (const name of beside) if (existsSync(join(from, name))) await cp(join(from, name), join(to, name));
    return last;
  } finally {
    await close();
  }
}
