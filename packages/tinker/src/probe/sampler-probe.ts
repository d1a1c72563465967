import type { TinkerClient } from "../client/tinker-client.ts";
import type { ServerRecord } from "../engine/server-record.ts";
import { forwardOf, push, type ProbeTexts, type Scratch } from "./gradient-probe.ts";

export type SamplerFindings = Pick<ServerRecord, "promptLogProbs" | "sampledAt" | "samplers">;

/** Asks how samplers report log-probs, and whether they follow their model. */
export function probeSampler(client: TinkerClient, scratch: Scratch, { short }: ProbeTexts): Promise<SamplerFindings> {
  return scratch(async (model) => {
    const sampler = await model.saveForSampler();
    const { prompt_logprobs: given } = await client.sample(sampler, short, { maxTokens: 1 }, { promptLogProbs: true });
    const drawn = await client.sample(sampler, short, { maxTokens: 8, temperature: 0.5, seed: 3 });
    const { tokens = [], logprobs } = drawn.sequences[0] ?? {};
    const atOne = (await forwardOf(model, [...short, ...tokens])).slice(short.length - 1);
    const apart = Math.max(...atOne.map((value, t) => Math.abs(value - (logprobs?.[t] ?? NaN))));
    // The likeliest token of a model that is sure of it hardly moves; those of a prompt do.
    const greedy = async (): Promise<number[]> => {
      const asked = { maxTokens: 1, temperature: 0, seed: 1 };
      const { sequences, prompt_logprobs } = await client.sample(sampler, short, asked, { promptLogProbs: true });
      const [reply] = sequences;
      const prompt = (prompt_logprobs ?? []).filter((value) => Number.isFinite(value));
      return [...(reply?.tokens ?? []), ...(reply?.logprobs ?? []), ...prompt];
    };
    const before = await greedy();
    await push(model, [...short, ...before.slice(0, 1)], -1);
    const after = await greedy();
    const moved = after.some((value, i) => Math.abs(value - (before[i] ?? NaN)) > 1e-3);
    return {
      promptLogProbs: formOf(given ?? [], short.length),
      sampledAt: apart < 1e-2 ? "one" : "sampling",
      samplers: moved ? "live" : "frozen",
    };
  });
}

function formOf(given: readonly number[], length: number): SamplerFindings["promptLogProbs"] {
  if (given.length === length - 1) return "without-first";
  return given.length === length ? "null-first" : "none";
}
