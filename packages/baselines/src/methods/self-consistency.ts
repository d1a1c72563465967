import type { Baseline } from "../protocols/baseline.ts";
import { methodOf } from "../playing/method-of.ts";
import { stepByStep } from "../prompts/chat.ts";
import { sc40Protocols, scProtocols } from "../protocols/self-consistency.ts";
import { copiesToOne, repliesToOne, samplesOf } from "../playing/single.ts";

function votes(name: string, title: string, protocols: typeof scProtocols): Baseline {
  return methodOf({
    name,
    title,
    protocols,
    create: (protocol, options) => repliesToOne("sc", protocol, options, stepByStep),
    maxCalls: samplesOf,
    maxCopies: copiesToOne,
  });
}

/** Samples of one prompt, and the plurality of their answers: five, as multi-agent papers take. */
export const selfConsistency: Baseline = votes("sc", "Self-Consistency", scProtocols);

/** Forty samples, as the original. */
export const selfConsistency40: Baseline = votes("sc:40", "Self-Consistency, 40 samples", sc40Protocols);
