import type { Baseline } from "../protocols/baseline.ts";
import { methodOf } from "../playing/method-of.ts";
import { complexCotProtocols, sampledComplexCotProtocols } from "../protocols/complex-cot.ts";
import { copiesToOne, repliesToOne, samplesOf } from "../playing/single.ts";

/** What its prompts ask for, also without examples: steps that can be counted. */
export const stepALine = "Reason in as many small steps as it takes, one step a line.";

function complex(name: string, title: string, protocols: typeof complexCotProtocols): Baseline {
  return methodOf({
    name,
    title,
    protocols,
    create: (protocol, options) => repliesToOne("complex-cot", protocol, options, stepALine),
    maxCalls: samplesOf,
    maxCopies: copiesToOne,
  });
}

/** Chain of thought with the most complex examples of the training split. */
export const complexCot: Baseline = complex("complex-cot", "Complex CoT", complexCotProtocols);

/** Its sampling form: of many chains those with most steps vote. */
export const complexCotSampled: Baseline = complex(
  "complex-cot:sampled",
  "Complex CoT, 50 chains",
  sampledComplexCotProtocols,
);
