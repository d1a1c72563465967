import { cp, mkdir, rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { randomFromSeed, type LanguageModel, type Random, type Tokenizer, type TrainingSequence } from "@laconic/core";
import { copyingLessons, namedStories, ownDeeds, rehearsed } from "@laconic/tasks/stories";
import { onlyPolicy, supervised, type TrainedPolicy } from "@laconic/trainer";
import type { Terminal } from "../../cli/terminal.ts";
import { parseAppConfig } from "../app-config.ts";
import type { ChosenDevice } from "../devices.ts";
import { openParts } from "../open-parts.ts";
import { runResources } from "../open-run.ts";
import type { LessonSettings } from "../run-settings.ts";
import { writeLessons, type LessonRecord } from "./lesson-record.ts";

/** What a model folder says of its tokens and of its ends, beside its weights. */
const beside = ["tokenizer.json", "tokenizer_config.json", "generation_config.json", "chat_template.jinja"];

/** What the model as it was says behind each text, up to the end of a sentence; what ran on is left out. */
async function goneOn(model: LanguageModel, texts: readonly string[], maxTokens: number, random: Random) {
  const replies = await Promise.all(
    texts.map(async (text, i) => {
      const { trace, finishReason } = await model.complete({
        prompt: { kind: "text", text },
        sampling: { temperature: 1, maxTokens, stop: [".", "!", "\n"] },
        random: random.split(i).state(),
      });
      return { promptTokens: trace?.promptTokens ?? [], completionTokens: trace?.tokens ?? [], finishReason };
    }),
  );
  return replies.filter(({ completionTokens }) => completionTokens.length > 0);
}

/** Texts of the model as it was, which it learns again beside the lessons. */
function ownWords(model: LanguageModel, most: number, random: Random): Promise<TrainingSequence[]> {
  const openings = Array.from({ length: Math.min(400, most) }, (_, i) => rehearsed[i % rehearsed.length] as string);
  return goneOn(model, openings, 24, random);
}

/** What children of the model's own stories do: it learns to copy their names without learning to speak in other words. */
async function deedsOf(model: LanguageModel, tokenizer: Tokenizer, most: number, random: Random): Promise<string[]> {
  const stories = namedStories(Math.min(900, most), random.split("stories"));
  const replies = await goneOn(model, stories, 18, random.split("words"));
  const said = replies
    .filter(({ finishReason }) => finishReason === "stop")
    .map(({ promptTokens, completionTokens }) =>
      tokenizer
        .decode([...promptTokens, ...completionTokens])
        .slice(tokenizer.decode(promptTokens).length)
        .replace(/[.!\n]+$/u, ""),
    );
  return ownDeeds(said);
}

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

/** Teaches a story model to copy names and writes it into a folder, with a record of the lessons. */
export async function giveLessons(
  { lessons, model: given, from, to, place }: Teaching,
  terminal: Terminal,
): Promise<LessonRecord> {
  const { steps, batch: size, seed } = lessons;
  const settings = parseAppConfig({ task: { name: "story-tellers" }, model: given });
  const resources = { ...(await runResources(settings.model, terminal)), heldOut: 0 };
  const { parts, task, close } = await openParts(settings, place, resources);
  try {
    const { model, speak } = parts.policies[onlyPolicy] as TrainedPolicy;
    const own = await ownWords(speak(model), steps * size, randomFromSeed(seed).split("own words"));
    const deeds = await deedsOf(speak(model), task.tokenizer, steps * size, randomFromSeed(seed).split("deeds"));
    let last = Number.NaN;
    await supervised(model, {
      steps,
      batch: (_, random) => [
        ...copyingLessons(task.tokenizer, size, random, deeds.length > 0 ? deeds : undefined),
        ...Array.from({ length: Math.ceil(size / 2) }, () => random.pick(own)),
      ],
      random: randomFromSeed(seed).split("copying"),
      optimizer: { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 },
      learningRate: { peak: 2e-3, warmUpSteps: 20, decay: "cosine", finalFraction: 0.05 },
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
    const record: LessonRecord = { version: 1, lessons: { ...lessons, model: given }, loss: last };
    await writeLessons(to, record);
    return record;
  } finally {
    await close();
  }
}
