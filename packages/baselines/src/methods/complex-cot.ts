import type { Baseline } from "../baseline.ts";
import { mostComplex } from "../protocols/choose-shots.ts";
import { stepByStep } from "../prompts/chat.ts";
import { singleReply } from "../single.ts";

/** Chain of thought with the most complex examples of the training split: eight of them, one call. */
export const complexCot: Baseline = {
  name: "complex-cot",
  title: "Complex CoT",
  source: "Fu et al. 2023, Complexity-Based Prompting; 8 examples as in Progressive-Hint@aca5acc6",
  calls: "1",
  temperature: 0,
  create: (options) => singleReply("complex-cot", options, stepByStep, mostComplex(options.exemplars ?? [])),
  mostCalls: () => 1,
  mostCopies: () => ({ questions: 1, examples: 1, replies: 0 }),
};
