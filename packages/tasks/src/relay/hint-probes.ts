import type { Problem, Random } from "@laconic/core";
import { counterparts, firstFitting, type ProbeCase, type TaskProbes } from "../probe.ts";
import { keysIn, lies, noParaphrase, otherDistractors, otherKeys } from "./probes.ts";
import { hintCollaborator, isEvaluationHint } from "./hint-problem.ts";

/** Families of the worlds in which a collaborator with facts helps an actor. */
export const hintProbes: TaskProbes = (problems, random) => ({
  paraphrase: noParaphrase,
  distractors: problems.every((problem) => (problem.views?.[hintCollaborator] ?? "").includes(" "))
    ? otherDistractors(problems, random.split("distractors"), isEvaluationHint)
    : oneMoreFact(problems, random.split("distractors")),
  names: otherKeys(problems, random.split("names"), isEvaluationHint),
  "more-agents": { none: "one collaborator helps one actor" },
  "lying-teammate": lies(problems, random.split("lying-teammate"), [hintCollaborator]),
});

/** Where the collaborator has one fact, it gets another that nobody asks for. */
function oneMoreFact(problems: readonly Problem[], random: Random): ProbeCase {
  return counterparts("the collaborator has one more fact, which nobody asks for", problems, random, (problem, own) => {
    const [known, letters] = [keysIn(problem), "abcdefghijklmnopqrstuvwxyz".split("")];
    const draw = (): Problem => {
      const fact = `${own.pick(letters.filter((letter) => !known.includes(letter)))}${own.integer(10)}`;
      const held = own.shuffle([problem.views?.[hintCollaborator] ?? "", fact]).join(" ");
      return {
        ...problem,
        id: problem.id.replace(/\|.*\?/u, `|${held}?`),
        views: { ...problem.views, [hintCollaborator]: held },
      };
    };
    return firstFitting(draw, isEvaluationHint);
  });
}
