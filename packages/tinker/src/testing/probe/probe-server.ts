import { LaconicError } from "@laconic/core";
import { optionCheck } from "@laconic/core/checks";
import type { TinkerClient } from "../../client/tinker-client.ts";
import { replies } from "../../wire/replies.ts";
import { datum } from "../../wire/datum.ts";
import type { ServerRecord } from "../../engine/server-record.ts";
import {
  forwardOf,
  probeGradient,
  probeTexts,
  push,
  scratchModels,
  type ProbeTexts,
  type Scratch,
} from "./gradient-probe.ts";

/** Options of `probeServer`. */
export interface ProbeOptions {
  readonly baseModel: string;
  /** Upper limit of token ids. Default: found by sampling, because the protocol does not provide it. */
  readonly vocabularySize?: number;
  /** Rank of adapters for questions, as small as the server accepts. Default 4. */
  readonly rank?: number;
  readonly signal?: AbortSignal;
  readonly onQuestion?: (text: string) => void;
}

const checkOptions = optionCheck<ProbeOptions>()("probeServer", "baseModel vocabularySize rank signal onQuestion");

/**
 * Measures server behaviour that the protocol leaves open, with about thirty temporary adapters.
 * @throws LaconicError `model_unsupported` for behaviour that training cannot use: another loss, varying forward
 * passes, no forward pass; `api_*` as the client
 */
export async function probeServer(client: TinkerClient, options: ProbeOptions): Promise<ServerRecord> {
  checkOptions(options);
  const { baseModel, rank = 4, signal, onQuestion = () => undefined } = options;
  onQuestion("available models");
  const { supported_models } = await client.capabilities(signal);
  const registry = supported_models.find(({ model_name }) => model_name === baseModel);
  if (!registry && supported_models.length > 0)
    throw new LaconicError(
      "model_unsupported",
      `model ${baseModel} not found on the server; available: ${supported_models.map(({ model_name }) => model_name).join(", ")}`,
      { baseModel },
    );
  const scratch = scratchModels(client, { baseModel, rank }, signal);
  const texts = probeTexts(options.vocabularySize ?? (await knownTokens(client, scratch, onQuestion)));
  onQuestion("repeated forward passes");
  await expectSteady(scratch, texts);
  onQuestion("gradients");
  const gradient = await probeGradient(scratch, texts);
  onQuestion("samplers");
  const sampler = await probeSampler(client, scratch, texts);
  onQuestion("repeated requests");
  const deduplicates = await probeDeduplication(client, scratch, texts);
  onQuestion("independence of models");
  const severalModels = await probeSeveral(scratch, texts);
  return {
    baseModel,
    contextLength: registry?.max_context_length ?? null,
    ...gradient,
    ...sampler,
    deduplicates,
    severalModels,
  };
}

/** Ids up to the largest sampled one are valid tokens. */
function knownTokens(client: TinkerClient, scratch: Scratch, onQuestion: (text: string) => void): Promise<number> {
  onQuestion("sampled tokens");
  return scratch(async (model) => {
    const sampler = await model.saveForSampler();
    const drawn = await Promise.all(
      [0, 1].map((token) => client.sample(sampler, [token], { maxTokens: 8, seed: token }, { count: 8 })),
    );
    return 1 + Math.max(1, ...drawn.flatMap(({ sequences }) => sequences.flatMap(({ tokens }) => tokens)));
  });
}

async function expectSteady(scratch: Scratch, { long }: ProbeTexts): Promise<void> {
  const differs = await scratch(async (model) => {
    const [first, second] = [await forwardOf(model, long), await forwardOf(model, long)];
    return Math.max(...first.map((value, t) => Math.abs(value - (second[t] as number))));
  });
  if (differs > 1e-3)
    throw new LaconicError(
      "model_unsupported",
      `two forward passes over the same tokens differ by ${differs}: the server trains with dropout, so ratios are not exact`,
    );
}

function probeDeduplication(client: TinkerClient, scratch: Scratch, { short }: ProbeTexts): Promise<boolean> {
  return scratch(async ({ modelId }) => {
    const weights = new Float64Array(short.length - 1).fill(1);
    const forward_input = { data: [datum(short, { weights })], loss_fn: "cross_entropy" };
    const body = { model_id: modelId, seq_id: 1, forward_input };
    const send = async (): Promise<string> =>
      (await client.transport.exchange("forward", body, replies.promise, "never")).request_id;
    const first = await send();
    try {
      return first === (await send());
    } catch (error) {
      // A refused second request does not reuse the first result.
      if (LaconicError.is(error) && error.code === "api_refused") return false;
      throw error;
    }
  });
}

async function probeSeveral(scratch: Scratch, { short }: ProbeTexts): Promise<boolean> {
  try {
    return await scratch((trained) =>
      scratch(async (still) => {
        const before = await forwardOf(still, short);
        await push(trained, short, 1);
        const after = await forwardOf(still, short);
        return before.every((value, t) => Math.abs(value - (after[t] as number)) < 1e-6);
      }),
    );
  } catch (error) {
    // A server for a single model refuses the second.
    if (LaconicError.is(error) && error.code === "api_refused") return false;
    throw error;
  }
}

type SamplerFindings = Pick<ServerRecord, "promptLogProbs" | "sampledAt" | "samplers">;

function probeSampler(client: TinkerClient, scratch: Scratch, { short }: ProbeTexts): Promise<SamplerFindings> {
  return scratch(async (model) => {
    const sampler = await model.saveForSampler();
    const { prompt_logprobs: input } = await client.sample(sampler, short, { maxTokens: 1 }, { promptLogProbs: true });
    const drawn = await client.sample(sampler, short, { maxTokens: 8, temperature: 0.5, seed: 3 });
    const { tokens = [], logprobs } = drawn.sequences[0] ?? {};
    const atOne = (await forwardOf(model, [...short, ...tokens])).slice(short.length - 1);
    const apart = Math.max(...atOne.map((value, t) => Math.abs(value - (logprobs?.[t] ?? NaN))));
    // The most likely token of a confident model hardly changes; log-probs of a prompt do.
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
      promptLogProbs: formOf(input ?? [], short.length),
      sampledAt: apart < 1e-2 ? "one" : "sampling",
      samplers: moved ? "live" : "frozen",
    };
  });
}

function formOf(input: readonly number[], length: number): SamplerFindings["promptLogProbs"] {
  if (input.length === length - 1) return "without-first";
  return input.length === length ? "null-first" : "none";
}
