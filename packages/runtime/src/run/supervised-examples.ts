import { randomFromSeed, type AgentId } from "@laconic/core";
import { formatNumber } from "@laconic/core/text";
import { checkedExamples, exampleStream, type ExampleSize, type TrainedPolicy } from "@laconic/trainer";
import type { Progress } from "../progress.ts";
import { openExamples, openMixedExamples } from "../resolver/run-values.ts";
import type { OpenedParts } from "./open-parts.ts";
import type { AppConfig } from "./run-settings.ts";

/**
 * Refuses lists of examples that would be refused once a model is there, as far as one sees without its tokenizer.
 * @param learners - agents by policy
 * @throws LaconicError `data_invalid` naming file and row, `config_invalid`
 */
export async function checkExamples(
  { warmStart, own, train }: Pick<AppConfig, "warmStart" | "own" | "train">,
  learners: Readonly<Record<string, readonly AgentId[]>>,
): Promise<void> {
  if (warmStart?.name === "examples") {
    const before = await openExamples(warmStart.examples);
    if (typeof before !== "function") checkedExamples(before, warmStart, learners);
  }
  const mixed = await openMixedExamples(own);
  if (mixed && typeof mixed !== "function") checkedExamples(mixed, train.supervised ?? {}, learners);
}

/** The policies with the examples that each learns beside what it earns; as they are where the run has none. */
export async function withExamples(opened: OpenedParts, config: AppConfig, progress: Progress): Promise<OpenedParts> {
  const examples = await openMixedExamples(config.own);
  const settings = config.train.supervised;
  if (!examples || !settings) return opened;
  const { parts, task, tokenizers } = opened;
  const learners = Object.fromEntries(Object.entries(parts.policies).map(([name, { agents }]) => [name, agents]));
  const random = randomFromSeed(config.train.seed).split("supervised");
  const policies = Object.fromEntries(
    Object.entries(parts.policies).map(([name, policy]): [string, TrainedPolicy] => {
      const stream = exampleStream(examples, {
        settings,
        tokenizer: tokenizers[name] ?? task.tokenizer,
        contextLength: policy.model.contextLength,
        learners,
        policy: name,
        task,
        random: random.split(name),
      });
      const who = Object.keys(learners).length === 1 ? "" : ` of policy ${name}`;
      progress.note(
        `each optimiser step${who} learns ${settings.batch} of ${exampleSizeText(stream.size)} too, with weight ${settings.weight}`,
      );
      return [name, { ...policy, examples: stream }];
    }),
  );
  return { ...opened, parts: { ...parts, policies } };
}

/** In a few words: `120 supervised examples (3,400 tokens, the longest 61)`. */
export function exampleSizeText(size: ExampleSize | null): string {
  if (size === null) return "the supervised examples that a function makes";
  return `${formatNumber(size.examples)} supervised examples (${formatNumber(size.tokens)} tokens to learn, the longest ${size.longest})`;
}
