import { LaconicError, randomFromState, type LanguageModel, type Random, type Sampler } from "@laconic/core";
import type { Timer } from "@laconic/rewards";
import { ShareInUse } from "../queue/paced.ts";
import { drawLatency, type Latency } from "./latency.ts";
import { slots } from "./slots.ts";

export interface NullFleet {
  /** Policy that waits, writes a tiny token, and sometimes fails. */
  speak(sampler: Sampler): LanguageModel;
  /** Mean share of slots in use since the last call. */
  utilisation(): number;
  readonly inFlight: number;
  readonly calls: number;
  readonly failed: number;
}

interface FleetParameters {
  readonly slots: number;
  readonly latency: Latency;
  /** Share of calls that fail halfway. */
  readonly failures: number;
}

/** Simulated servers. Latencies and failures come from the requests' random streams. @param tokens - per reply */
export function nullFleet(timer: Timer, parameters: FleetParameters, tokens = 2): NullFleet {
  const places = slots(parameters.slots);
  const use = new ShareInUse(() => timer.now());
  let inFlight = 0;
  let calls = 0;
  let failed = 0;
  const complete = (version: number): LanguageModel["complete"] => {
    return ({ random, signal }) =>
      new Promise((resolve, reject) => {
        const own = randomFromState(random);
        let callOff = (): void => undefined;
        const end = (): void => {
          inFlight -= 1;
          callOff();
          leave();
          use.set(places.busy);
          signal?.removeEventListener("abort", abort);
        };
        const abort = (): void => {
          end();
          reject(new LaconicError("aborted", "the call was aborted"));
        };
        const leave = places.enter(() => {
          const { seconds, fails } = drawCall(parameters, own);
          callOff = timer.after(seconds * 1000, () => {
            end();
            if (fails) {
              failed += 1;
              reject(new LaconicError("api_unavailable", "the server went away"));
            } else resolve(reply(version, tokens, own.integer(3)));
          });
        });
        [inFlight, calls] = [inFlight + 1, calls + 1];
        use.set(places.busy);
        if (signal?.aborted) abort();
        else signal?.addEventListener("abort", abort, { once: true });
      });
  };
  return {
    speak: (sampler) => ({ id: "null-fleet", complete: complete(sampler.weightVersion) }),
    utilisation: () => use.mean() / parameters.slots,
    get inFlight() {
      return inFlight;
    },
    get calls() {
      return calls;
    },
    get failed() {
      return failed;
    },
  };
}

const letters = "abc";

function reply(weightVersion: number, count: number, letter: number): Awaited<ReturnType<LanguageModel["complete"]>> {
  const tokens = [...Array.from({ length: count - 1 }, () => 3 + letter), 10]; // a letter and the end token of the tiny tokenizer
  return {
    text: (letters[letter] ?? "").repeat(count - 1),
    finishReason: "stop",
    usage: { promptTokens: 1, completionTokens: tokens.length, counted: "model" },
    model: { id: "null-fleet", weightVersion },
    trace: { promptTokens: [0], tokens, logProbs: tokens.map(() => -1) },
  };
}

function drawCall(
  { latency, failures }: Pick<FleetParameters, "latency" | "failures">,
  random: Random,
): { readonly seconds: number; readonly fails: boolean } {
  const fails = random.uniform() < failures;
  const seconds = drawLatency(latency, random);
  return { seconds: fails ? seconds / 2 : seconds, fails };
}
