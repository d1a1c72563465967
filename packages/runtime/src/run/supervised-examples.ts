import { randomFromSeed, type SupervisedExamples, mapValues } from "@laconic/core";
import { formatNumber } from "@laconic/core/text";
import type { TeamTask } from "@laconic/tasks";
import {
  checkedExamples,
  exampleStream,
  supervisedDefaults,
  type ExampleSize,
  type ExampleTokenizer,
  type Learners,
  type StreamOptions,
  type TrainedPolicy,
} from "@laconic/trainer";
import type { Course } from "@laconic/tasks/warm-start";
import type { Progress } from "../progress.ts";
import { openExamples, openMixedExamples } from "../resolver/open-train.ts";
import type { OpenedParts } from "./open-parts.ts";
import { policiesOf } from "./policy-models.ts";
import type { AppConfig, ExamplesWarmStart } from "./run-settings.ts";

/**
 * Checks examples, as far as possible without a tokenizer.
 * @throws LaconicError `data_invalid` with file and row, `config_invalid`
 */
export async function checkExamples(
  { warmStart, train }: Pick<AppConfig, "warmStart" | "train">,
  learners: Learners,
): Promise<void> {
  if (warmStart?.name === "examples") {
    const before = await openExamples(warmStart.examples);
    if (typeof before !== "function") checkedExamples(before, warmStart, learners);
  }
  const mixed = await openMixedExamples(train);
  if (mixed && typeof mixed !== "function") checkedExamples(mixed, train.supervised ?? {}, learners);
}

export async function withExamples(opened: OpenedParts, config: AppConfig, progress: Progress): Promise<OpenedParts> {
  const examples = await openMixedExamples(config.train);
  if (!examples) return opened;
  const { parts, task, tokenizers } = opened;
  const learners = mapValues(parts.policies, ({ agents }) => agents);
  const policies = mapValues(parts.policies, (policy, name): TrainedPolicy => {
    const { contextLength } = policy.model;
    const tokenizer = tokenizers[name] ?? task.tokenizer;
    const stream = mixedStream(examples, config, { task, learners, policy: name, tokenizer, contextLength });
    progress.note(besideText(config, learners, name, stream.size));
    return { ...policy, examples: stream };
  });
  return { ...opened, parts: { ...parts, policies } };
}

function mixedStream(
  examples: SupervisedExamples,
  { train }: Pick<AppConfig, "train">,
  options: Omit<StreamOptions, "settings" | "random">,
): ReturnType<typeof exampleStream> {
  return exampleStream(examples, {
    ...options,
    settings: train.supervised ?? supervisedDefaults,
    random: randomFromSeed(train.seed).split("supervised").split(String(options.policy)),
  });
}

export interface PlannedExamples {
  readonly before: {
    readonly steps: number;
    readonly batch: number;
    /** Size; null for examples from a function. */
    readonly size: ExampleSize | null;
  } | null;
  readonly beside: readonly { readonly text: string; readonly size: ExampleSize | null }[];
}

export async function planExamples(
  config: Pick<AppConfig, "warmStart" | "train" | "policies">,
  task: TeamTask,
  contextLength: number,
): Promise<PlannedExamples> {
  const { warmStart, train } = config;
  const learners = policiesOf(config, task);
  const tokenizer: ExampleTokenizer = task.tokenizer;
  const shared = { task, learners, tokenizer, contextLength };
  const mixed = await openMixedExamples(train);
  const beside = (mixed ? Object.keys(learners) : []).map((policy) => {
    const { size } = mixedStream(mixed ?? [], config, { ...shared, policy });
    return { size, text: besideText(config, learners, policy, size) };
  });
  if (warmStart?.name !== "examples") return { before: null, beside };
  const { steps, batch, examples } = warmStart;
  const settings = { ...supervisedDefaults, ...warmStart };
  const random = randomFromSeed(train.seed);
  const { size } = exampleStream(await openExamples(examples), { ...shared, settings, policy: null, random });
  return { before: { steps, batch, size }, beside };
}

function besideText(
  { train: { supervised } }: Pick<AppConfig, "train">,
  learners: Learners,
  policy: string,
  size: ExampleSize | null,
): string {
  const { batch, weight } = supervised ?? supervisedDefaults;
  const who = Object.keys(learners).length === 1 ? "" : ` of policy ${policy}`;
  return `each optimizer step${who} also learns ${batch} of ${exampleSizeText(size)}, with weight ${weight}`;
}

/** Text such as `120 supervised examples (3,400 learned tokens, longest 61)`. */
export function exampleSizeText(size: ExampleSize | null): string {
  if (size === null) return "supervised examples from a function";
  return `${formatNumber(size.examples)} supervised examples (${formatNumber(size.tokens)} learned tokens, longest ${size.longest})`;
}

/** All examples are used once before any repeats. */
export function ownExamples(warmStart: ExamplesWarmStart, run: Pick<AppConfig, "policies">): Course {
  const { examples, seed, learningRate, steps } = warmStart;
  return {
    peakLearningRate: learningRate,
    warmUpSteps: Math.ceil(steps / 10),
    random: randomFromSeed(seed).split("examples"),
    prepare: async ({ tokenizer, contextLength, task }) => {
      const stream = exampleStream(await openExamples(examples), {
        settings: { ...supervisedDefaults, ...warmStart },
        tokenizer,
        contextLength,
        task,
        learners: policiesOf(run, task),
        policy: null,
        random: randomFromSeed(seed).split("order"),
      });
      return (size, _, step) => stream.take(step * size, size);
    },
  };
}
