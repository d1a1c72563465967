import { nextTurn } from "#platform";
import { LaconicError, type DrawnToken, type SampleRequest, type SampleResult, type Sampler } from "@laconic/core";

export interface Sampled {
  readonly result: SampleResult;
  readonly weightVersion: number;
}

export type SampleOne = (request: SampleRequest, onToken?: (drawn: DrawnToken) => void) => Promise<Sampled>;

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
 * Requests made while a wave is sampled form the next wave, in call order. The batches depend only on the callers, not
 * on time.
 */
export function sampleInWaves(sampler: Sampler): SampleOne {
  let waiting: Waiting[] = [];
  let busy = false;

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
      // Only the invalid request fails.
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

/** Waits until the count stays the same for a turn of the event loop. */
async function quiet(count: () => number): Promise<void> {
  let before: number;
  do {
    before = count();
    await nextTurn();
  } while (count() !== before);
}

/** Index of the request that the sampler rejected; null if unknown. */
function refusedRequest(error: unknown, requests: number): number | null {
  if (!LaconicError.is(error) || error.code !== "input_invalid") return null;
  const index = error.detail["request"];
  return typeof index === "number" && index < requests ? index : null;
}
