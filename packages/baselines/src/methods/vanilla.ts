import type { Baseline } from "../protocols/baseline.ts";
import { methodOf } from "../playing/method-of.ts";
import { fewShotProtocols, zeroShotProtocols } from "../protocols/vanilla.ts";
import { copiesToOne, repliesToOne } from "../playing/single.ts";

/** Standard prompting: the question, behind as many questions with their answers as are asked for; one call. */
function standard(name: string, title: string, protocols: typeof zeroShotProtocols): Baseline {
  return methodOf({
    name,
    title,
    protocols,
    create: (protocol, options) => repliesToOne("vanilla", protocol, options, "Answer the question."),
    maxCopies: copiesToOne,
  });
}

/** The question alone, zero-shot. */
export const vanilla: Baseline = standard("vanilla", "Vanilla", zeroShotProtocols);

/** Questions with answers and no rationales before it. */
export const vanillaFewShot: Baseline = standard(
  "vanilla:few-shot-answers",
  "Vanilla, few-shot answers",
  fewShotProtocols,
);
