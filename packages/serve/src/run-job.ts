import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { randomFromSeed, type Completion, type CompletionRequest, type Prompt } from "@laconic/core";
import { samplingOfFields, streamText } from "@laconic/core/backends";
import { sumKinds } from "@laconic/core/ledger";
import { chatUsage, type ChatUsage } from "./chat-usage.ts";
import { ClientGone } from "./client-gone.ts";
import { withEcho } from "./echo.ts";
import { chatForm, type Choice, type ReadReply } from "./forms.ts";
import type { Job } from "./jobs.ts";
import { listToken } from "./listed-token.ts";
import { keepingRules } from "./reply-rules.ts";
import type { Replies } from "./completer.ts";
import type { ServedModel, ServerSettings } from "./options.ts";
import { wireReasons } from "./wire-reason.ts";

/** Who answers a job. */
export type JobOptions = Pick<ServedModel, "name" | "policy" | "tokenizer" | "scorer"> &
  Pick<Required<ServerSettings>, "now">;

type Chunk = Readonly<Record<string, unknown>>;

/** The replies that a job asks for. */
export function repliesTo(job: Job, options: JobOptions): Replies {
  return {
    count: job.count,
    isStreamed: job.body.stream === true,
    make: (gone, send) => runJob(job, options, gone, send),
  };
}

/**
 * Asks the policy for all replies of a job at once.
 * @param gone - ends them when it is aborted; aborted here once one has failed, or all are made
 * @param send - takes chunks of replies as they are written; null for the whole answer alone
 * @returns the whole answer
 */
async function runJob(
  job: Job,
  { name, policy: asked, tokenizer, scorer, now }: JobOptions,
  gone: AbortController,
  send: ((chunk: Chunk) => void) | null,
): Promise<Chunk> {
  const { body, prompts, form, maxTokens, logProbs, topLogProbs, count } = job;
  const perPrompt = count / prompts.length;
  setMaxListeners(0, gone.signal); // every reply listens
  const id = `${form.prefix}-${randomUUID()}`;
  const head = { id, created: Math.floor(now() / 1000), model: name, ...job.facts };
  const chunkHead = { ...head, object: form.chunkObject };
  const seeds = randomFromSeed(body.seed ?? randomUUID());
  const stop = [body.stop ?? []].flat().filter((text) => text !== ""); // an empty one ends nothing

  const hasRules = job.rules.length > 0;
  const policy = hasRules ? keepingRules(asked, job.rules, job.readReply ?? plainReply) : asked;

  const ask = async (request: CompletionRequest, index: number): Promise<Completion> => {
    if (!send) return policy.complete(request);
    if (job.readReply || hasRules) {
      // Whether a reply is a call, or as it must be, is known when it is whole.
      const completion = await policy.complete(request);
      for (const each of whole({ index, completion, tokenizer, stop, ...shape(job) }))
        send({ ...chunkHead, choices: [each] });
      return completion;
    }
    const mode = logProbs ?? "processed_logprobs";
    for await (const event of streamText(policy, request, tokenizer)) {
      const tokens = event.kind === "text" ? event.drawn.map((drawn) => listToken(tokenizer, drawn, mode)) : [];
      const chunk = form.chunk({ index, text: event.kind === "text" ? event.text : "", tokens, ...shape(job) });
      if (event.kind === "text") send({ ...chunkHead, choices: [chunk] });
      else {
        send({ ...chunkHead, choices: [{ ...chunk, finish_reason: wireReasons[event.completion.finishReason] }] });
        return event.completion;
      }
    }
    throw new Error("a stream ended without its completion");
  };

  try {
    const choices = await Promise.all(
      Array.from({ length: count }, async (_, index): Promise<Choice> => {
        const request: CompletionRequest = {
          prompt: prompts[Math.floor(index / perPrompt)] as Prompt,
          sampling: {
            ...samplingOfFields("openai-extended", body),
            maxTokens: Math.max(1, maxTokens),
            stop,
          },
          random: seeds.split(index).state(),
          signal: gone.signal,
          ...(logProbs === "raw_logprobs" && { topLogProbs }),
          ...(body.prompt_cache_key !== undefined && { conversation: body.prompt_cache_key }),
        };
        return { index, completion: await ask(request, index), tokenizer, stop, ...shape(job) };
      }),
    );
    const usage = usageOf(choices, perPrompt, maxTokens === 0);
    if (body.stream_options?.include_usage === true) send?.({ ...chunkHead, choices: [], usage });
    const promptTokens = choices[0]?.completion.trace?.promptTokens;
    const shown = job.echo ? await withEcho(choices, job, { tokenizer, scorer }) : choices;
    return {
      ...head,
      object: form.object,
      choices: shown.map((choice) => form.whole(choice)),
      usage,
      ...(body.return_token_ids === true && { prompt_token_ids: promptTokens ?? null }),
    };
  } catch (error) {
    // A reply that failed ends the others, and is no departure of the client's.
    throw gone.signal.aborted ? new ClientGone(error) : error;
  } finally {
    gone.abort();
  }
}

const plainReply: ReadReply = ({ text }) => ({ content: text, calls: [] });

function shape({ logProbs, body, readReply }: Job): Pick<Choice, "logProbs" | "tokenIds" | "readReply"> {
  return { logProbs, tokenIds: body.return_token_ids === true, ...(readReply && { readReply }) };
}

/** A reply that is sent in one piece, and its end. */
function whole(choice: Choice): Chunk[] {
  const { index, message, logprobs, finish_reason: reason, ...rest } = chatForm.whole(choice);
  return [
    { index, delta: message, logprobs, finish_reason: null, ...rest },
    { index, delta: {}, logprobs: null, finish_reason: reason },
  ];
}

function usageOf(choices: readonly Choice[], perPrompt: number, withoutReply: boolean): ChatUsage {
  const usages = choices.map(({ completion }) => completion.usage);
  const prompts = usages.filter((_, i) => i % perPrompt === 0);
  const replies = withoutReply ? [] : usages;
  const { reasoningTokens = 0 } = sumKinds(replies);
  return chatUsage({
    ...sumKinds(prompts),
    promptTokens: prompts.reduce((sum, { promptTokens }) => sum + promptTokens, 0),
    completionTokens: replies.reduce((sum, { completionTokens }) => sum + completionTokens, 0),
    reasoningTokens,
  });
}
