import { randomFromSeed, raggedRow, type Sampler } from "@laconic/core";
import { samplingOfFields } from "@laconic/core/backends";
import type { ServerRecord } from "../engine/server-record.ts";
import type { ModelInput } from "../wire/datum.ts";

interface SampleBody {
  readonly sampling_session_id: string;
  readonly num_samples: number;
  readonly prompt: ModelInput;
  readonly sampling_params: {
    readonly max_tokens: number;
    readonly temperature: number;
    readonly seed?: number | undefined;
    readonly stop?: readonly number[] | undefined;
  };
  readonly prompt_logprobs?: boolean | undefined;
}

/** Answers `asample` with log-probs as the server's record says. @throws Error for an unknown sampler */
export async function draw(
  sampler: Sampler | undefined,
  asked: SampleBody,
  as: Partial<Pick<ServerRecord, "sampledAt" | "promptLogProbs">>,
): Promise<unknown> {
  if (!sampler) throw new Error(`unknown sampler ${asked.sampling_session_id}`);
  const { max_tokens, seed = 0, stop = [] } = asked.sampling_params;
  const promptTokens = asked.prompt.chunks.flatMap(({ tokens }) => tokens);
  const drawn = await sampler.sample(
    Array.from({ length: asked.num_samples }, (_, i) => ({
      promptTokens,
      sampling: { ...samplingOfFields("tinker", asked.sampling_params), maxTokens: max_tokens },
      stopTokens: stop,
      random: randomFromSeed(`${seed},${i}`).state(),
    })),
  );
  const sequences = await Promise.all(
    drawn.map(async ({ tokens, logProbs, finishReason }) => ({
      tokens,
      logprobs: as.sampledAt === "one" ? await atOne(sampler, promptTokens, tokens) : logProbs,
      stop_reason: finishReason === "stop" ? "stop" : "length",
    })),
  );
  const kind = as.promptLogProbs ?? "null-first";
  const prompt = { promptTokens: promptTokens.slice(0, 1), completionTokens: promptTokens.slice(1) };
  if (asked.prompt_logprobs !== true || kind === "none") return { sequences };
  const rest = await atOne(sampler, prompt.promptTokens, prompt.completionTokens);
  return { sequences, prompt_logprobs: kind === "null-first" ? [null, ...rest] : rest };
}

async function atOne(
  sampler: Sampler,
  promptTokens: readonly number[],
  completionTokens: readonly number[],
): Promise<number[]> {
  const { logProbs } = await sampler.forward([{ promptTokens, completionTokens }]);
  return Array.from(raggedRow(logProbs, 0));
}
