import { checkOption } from "./check-option.ts";
import type { Prepared } from "./prepare.ts";

/** @throws LaconicError `config_invalid` for a limit that is not above 0. */
export function checkOffPolicyMask(limit: number): void {
  checkOption(limit > 0, "offPolicyMask", limit, "above 0");
}

/**
 * 1 for a sequence with A < 0 whose mean log π_roll - log π is above the limit, else 0; [S]. The sampler's log-probs see drift of the
 * weights and of the sampler, as in TRL 1.13 (`get_off_policy_mask`); without them the old policy's count.
 */
export function offPolicySequences(
  { input, advantagePerToken, lengths, sequences }: Prepared,
  limit: number,
): Int8Array {
  const { offsets, values } = input.logProbs;
  const before = (input.rollLogProbs ?? input.oldLogProbs).values;
  return Int8Array.from({ length: sequences }, (_, s) => {
    let drift = 0;
    let advantage = 0;
    for (let t = offsets[s] as number; t < (offsets[s + 1] as number); t++) {
      if (input.mask && input.mask[t] === 0) continue;
      drift += (before[t] as number) - (values[t] as number);
      advantage += input.advantages[advantagePerToken ? t : s] as number;
    }
    return advantage < 0 && drift / Math.max(1, lengths[s] as number) > limit ? 1 : 0;
  });
}
