import type { Baseline } from "../baseline.ts";
import { singleReply } from "../single.ts";

/** The question alone, zero-shot: one call. */
export const vanilla: Baseline = {
  name: "vanilla",
  title: "Vanilla",
  source: "Standard prompting; zero-shot",
  calls: "1",
  temperature: 0,
  create: (options) => singleReply("vanilla", options, "Answer the question."),
  mostCalls: () => 1,
  mostCopies: () => ({ questions: 1, examples: 0, replies: 0 }),
};
