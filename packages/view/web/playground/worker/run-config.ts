import type { UnknownRecord } from "@laconic/core";
import { parseTrainConfig, type TrainConfig } from "@laconic/trainer";
import { relayQuickstart, storyTellers } from "@laconic/tasks/presets";
import { storyTellersDefaults } from "@laconic/tasks/stories";
import { storyModelName } from "@laconic/tasks/story-model";
import type { OwnersWarmStart } from "@laconic/tasks/warm-start";
import { levelRanges, type LevelName, type PlaygroundSettings, type Steering } from "./settings.ts";

/** Settings that can change during a run; each change is recorded as a warning. */
export const adjustable: Readonly<Record<string, string>> = {
  "train.budget": "",
  "train.prices": "",
  "train.steps": "",
};

const measured = { every: 10, problems: 100, transcripts: 4 } as const;

export function trainConfig({ level, seed, steps, steering }: PlaygroundSettings): TrainConfig {
  const common = { seed, steps, checkpoint: { every: 10, keep: 2 } };
  if (level === "tellers") {
    const { train } = storyTellers;
    return parseTrainConfig({
      ...train,
      ...common,
      ...steered(level, steering, { ...train.budget, annealIterations: 10 }),
      evaluation: { ...measured, language: false },
    });
  }
  const { train } = relayQuickstart;
  return parseTrainConfig({
    ...train,
    ...common,
    // Half the quickstart's problems and a third of its annealing: half a minute on one thread.
    problemsPerStep: 8,
    ...steered(level, steering, { ...train.budget, annealIterations: 24 }),
    evaluation: measured,
  });
}

function steered(level: LevelName, steering: Steering, budget: object): UnknownRecord {
  if (steering.kind === "price") return { budget: null, prices: { tokens: steering.price } };
  const { warmUpSteps: warmupIterations } = levelRanges[level];
  return { budget: { ...budget, targetTokens: steering.targetTokens, warmupIterations } };
}

export function warmStartOf(settings: PlaygroundSettings): OwnersWarmStart & { readonly model: string } {
  const { seed, warmStart: steps } = settings;
  return { name: "owners", steps, batch: 32, seed: String(seed), model: storyModelName };
}

/** Configuration as `laconic train` writes it, so that it can resume the run. */
export function runConfig(
  settings: PlaygroundSettings,
): UnknownRecord & { readonly task: UnknownRecord; readonly train: TrainConfig } {
  const isStory = settings.level === "tellers";
  return {
    task: isStory ? { ...storyTellersDefaults, ...storyTellers.task } : { ...relayQuickstart.task },
    model: isStory ? "run:taught" : "shipped",
    sampler: null,
    actor: null,
    policies: "shared",
    bases: {},
    chatTemplateArguments: {},
    lora: null,
    device: settings.device,
    // Two workers need shared memory.
    workers: 1,
    memory: { maxTokensPerMicroBatch: 16_384, recompute: "none" },
    ...(isStory && { warmStart: warmStartOf(settings) }),
    train: trainConfig(settings),
  };
}
