import type { Problem } from "@laconic/core";
import type { TaskProbes } from "../probe.ts";
import { keysIn, noParaphrase, otherDistractors, otherKeys } from "./probes.ts";

/**
 * Families of a world in which two answer at once.
 * @param isForEvaluation - whether a problem is kept for validation and test
 */
export function pairProbes(isForEvaluation: (problem: Problem) => boolean): TaskProbes {
  const isTold = (key: string, { gold }: Problem): boolean => gold.includes(key);
  return (problems, random) => ({
    paraphrase: noParaphrase,
    distractors: problems.some((problem) => keysIn(problem).some((key) => !isTold(key, problem)))
      ? otherDistractors(problems, random.split("distractors"), isForEvaluation, isTold)
      : { none: "every key is asked for" },
    names: otherKeys(problems, random.split("names"), isForEvaluation),
    "more-agents": { none: "one grade is for two texts" },
  });
}
