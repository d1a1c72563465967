import type { Baseline } from "../baseline.ts";
import { stepByStep } from "../prompts/chat.ts";
import { singleReply } from "../single.ts";

/**
 * Chain of thought: worked examples where there are any, else the instruction to reason step by step, which is what
 * multi-agent papers mean by the name.
 */
export const cot: Baseline = {
  name: "cot",
  title: "CoT",
  source: "Wei et al. 2022; zero-shot form of Kojima et al. 2022",
  calls: "1",
  temperature: 0,
  create: (options) => singleReply("cot", options, stepByStep, options.exemplars),
  mostCalls: () => 1,
  mostCopies: () => ({ questions: 1, examples: 1, replies: 0 }),
};
