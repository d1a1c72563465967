import type { Baseline } from "../protocols/baseline.ts";
import { methodOf } from "../playing/method-of.ts";
import { stepByStep } from "../prompts/chat.ts";
import { cotProtocols } from "../protocols/cot.ts";
import { copiesToOne, repliesToOne } from "../playing/single.ts";

/**
 * Chain of thought: worked examples where there are any, else the instruction to reason step by step, which is what
 * multi-agent papers mean by the name.
 */
export const cot: Baseline = methodOf({
  name: "cot",
  title: "CoT",
  protocols: cotProtocols,
  create: (protocol, options) => repliesToOne("cot", protocol, options, stepByStep),
  maxCopies: copiesToOne,
});
