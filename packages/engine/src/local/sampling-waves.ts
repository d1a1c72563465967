import { nextTurn } from "#platform";
import { LaconicError, type DrawnToken, type SampleRequest, type SampleResult, type Sampler } from "@laconic/core";

/** What a request came to, and the weights that answered it. */
export interface Sampled {
  readonly result: SampleResult;
  readonly weightVersion: number;
}

/** Samples one request. */
export type SampleOne = (request: SampleRequest, onToken?: (drawn: DrawnToken) => void) => Promise<Sampled>;

/** Each request goes to the sampler at once, and joins what is running there. */
export function sampleAtOnce(sampler: Sampler): SampleOne {
  return async (request, onToken) => {
    const { weightVersion } = sampler;
    const [result] = await sampler.sample([request], onToken && ((_, drawn) => onToken(drawn)));
    return { result: result as SampleResult, weightVersion };
  };
}

interface Waiting {
  readonly request: SampleRequest;
  readonly onToken: ((drawn: DrawnToken) => void) | undefined;
  resolve(sampled: Sampled): void;
  reject(error: unknown): void;
}

/**
 * Requests made while a wave is sampled wait and travel together as the next one, in the order they were made: what
 * shares a batch then depends on the callers alone, not on time.
 */
export function sampleInWaves(sampler: Sampler): SampleOne {
  let waiting: Waiting[] = [];
  let busy = false;

  /** Serves wave after wave until nobody waits. */
  const serve = async (): Promise<void> => {
    busy = true;
    for (;;) {
      await quiet(() => waiting.length);
      const wave = waiting.filter(({ request }) => !request.signal?.aborted);
      waiting = [];
      if (wave.length === 0) break;
      await serveWave(wave);
    }
    busy = false;
  };
  const serveWave = async (wave: readonly Waiting[]): Promise<void> => {
    const { weightVersion } = sampler;
    try {
      const listens = wave.some(({ onToken }) => onToken);
      const results = await sampler.sample(
        wave.map(({ request }) => request),
        listens ? (place, drawn) => wave[place]?.onToken?.(drawn) : undefined,
      );
      wave.forEach(({ resolve }, i) => resolve({ result: results[i] as SampleResult, weightVersion }));
    } catch (error) {
      const culprit = refusedRequest(error, wave.length);
      if (culprit === null) return wave.forEach(({ reject }) => reject(error));
      // Episodes know nothing of each other: one that asks badly fails alone.
      (wave[culprit] as Waiting).reject(error);
      const others = wave.filter((_, i) => i !== culprit);
      if (others.length > 0) await serveWave(others);
    }
  };

  return (request, onToken) =>
    new Promise((resolve, reject) => {
      waiting.push({ request, onToken, resolve, reject });
      if (!busy) void serve();
    });
}

/** Waits for a turn of the event loop in which the count stays: everybody who goes on now has asked. */
async function quiet(count: () => number): Promise<void> {
  let before: number;
  do {
    before = count();
    await nextTurn();
  } while (count() !== before);
}

/** Which request of the batch the sampler refused, where it says so before sampling anything. */
function refusedRequest(error: unknown, requests: number): number | null {
  if (!LaconicError.is(error) || error.code !== "input_invalid") return null;
  const index = error.detail["request"];
  return typeof index === "number" && index < requests ? index : null;
}
