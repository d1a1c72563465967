import { LaconicError, randomFromState, type Sampler, mapValues } from "@laconic/core";
import type { Timer } from "@laconic/rewards";
import type { TrainedPolicy, TrainingParts } from "../src/spec/parts.ts";
import { drawLatency, type Latency } from "../src/testing/latency.ts";

/** Long-tailed delays of 0.1 to 8 seconds. */
const heavyTail: Latency = { medianSeconds: 1, sigma: 1, leastSeconds: 0.1, mostSeconds: 8 };

export interface Slowness {
  readonly latency?: Latency;
  /** Called with the number of each training call, from 0. Evaluations, which use live policies, are excluded. */
  readonly fails?: (call: number) => boolean;
}

export function slowly<Parts extends TrainingParts>(
  parts: Parts,
  timer: Timer,
  { latency = heavyTail, fails }: Slowness = {},
): Parts {
  let calls = 0;
  const live = new Set<Sampler>(Object.values(parts.policies).map(({ model }) => model));
  const slow =
    (speak: TrainedPolicy["speak"]): TrainedPolicy["speak"] =>
    (sampler) => {
      const policy = speak(sampler);
      return {
        ...policy,
        async complete(request) {
          const isLost = !live.has(sampler) && (fails?.(calls++) ?? false);
          const seconds = drawLatency(latency, randomFromState(request.random).split("latency"));
          await new Promise<void>((go, stop) => {
            const callOff = timer.after(seconds * 1000, () => {
              request.signal?.removeEventListener("abort", abort);
              go();
            });
            const abort = (): void => {
              callOff();
              stop(new LaconicError("aborted", "the call was aborted"));
            };
            request.signal?.addEventListener("abort", abort, { once: true });
          });
          if (isLost) throw new LaconicError("api_unavailable", "the server went away");
          return policy.complete(request);
        },
      };
    };
  const policies = mapValues(parts.policies, (policy) => ({ ...policy, speak: slow(policy.speak) }));
  return { ...parts, policies };
}
