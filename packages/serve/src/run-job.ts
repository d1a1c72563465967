import { randomUUID } from "node:crypto";
import {
  randomFromSeed,
  type Completion,
  type CompletionRequest,
  type LogProbsAtOne,
  type Tokenizer,
} from "@laconic/core";
import { streamText } from "@laconic/core/backends";
import { sumKinds } from "@laconic/core/ledger";
import type { Replies, Send } from "./completer.ts";
import { chatForm, chatUsage, chunkOf, listToken, wireReasons } from "./forms.ts";
import type { ChatUsage, Choice, EchoedPrompt, ReadReply } from "./forms.ts";
import { invalid } from "./http.ts";
import type { Job } from "./jobs.ts";
import type { PromptScorer, ServedModel, ServerSettings } from "./options.ts";
import { keepingRules } from "./reply-rules.ts";

type JobModel = Pick<ServedModel, "name" | "policy" | "tokenizer" | "scorer"> & Pick<Required<ServerSettings>, "now">;

type Chunk = Readonly<Record<string, unknown>>;

export function repliesTo(job: Job, model: JobModel): Replies {
  return {
    count: job.count,
    isStreamed: job.isStreamed,
    make: (signal, send) => runJob(job, model, signal, send),
  };
}

async function runJob(
  job: Job,
  { name, policy: model, tokenizer, scorer, now }: JobModel,
  signal: AbortSignal,
  send: Send | null,
): Promise<Chunk> {
  const { prompts, form, maxTokens, logProbs, stop, conversation, count } = job;
  const perPrompt = count / prompts.length;
  const head = { id: `${form.prefix}-${randomUUID()}`, created: Math.floor(now() / 1000), model: name, ...job.facts };
  const chunkHead = { ...head, object: form.chunkObject };
  const seeds = randomFromSeed(job.seed ?? randomUUID());
  const hasRules = job.rules.length > 0;
  const policy = hasRules ? keepingRules(model, job.rules, job.readReply ?? plainReply) : model;

  const ask = async (request: CompletionRequest, index: number): Promise<Completion> => {
    if (!send) return policy.complete(request);
    if (job.readReply || hasRules) {
      // Calls and broken rules are only known at the end.
      const completion = await policy.complete(request);
      for (const part of wholeParts({ index, completion, tokenizer, shape: job }))
        send({ ...chunkHead, choices: [part] });
      return completion;
    }
    const mode = logProbs ?? "processed_logprobs";
    for await (const event of streamText(policy, request, tokenizer)) {
      const tokens = event.kind === "text" ? event.drawn.map((drawn) => listToken(tokenizer, drawn, mode)) : [];
      const chunk = chunkOf(form, { index, text: event.kind === "text" ? event.text : "", tokens, shape: job });
      if (event.kind === "text") send({ ...chunkHead, choices: [chunk] });
      else {
        send({ ...chunkHead, choices: [{ ...chunk, finish_reason: wireReasons[event.completion.finishReason] }] });
        return event.completion;
      }
    }
    throw new Error("a stream ended without a completion");
  };

  const choices = await Promise.all(
    Array.from({ length: count }, async (_, index): Promise<Choice> => {
      const request: CompletionRequest = {
        prompt: prompts[Math.floor(index / perPrompt)]!,
        sampling: { ...job.sampling, maxTokens: Math.max(1, maxTokens), stop },
        random: seeds.split(index).state(),
        signal,
        ...(logProbs === "raw_logprobs" && { topLogProbs: job.topLogProbs }),
        ...(conversation !== undefined && { conversation }),
      };
      return { index, completion: await ask(request, index), tokenizer, shape: job };
    }),
  );
  const usage = usageOf(choices, perPrompt, maxTokens === 0);
  if (job.includesUsage) send?.({ ...chunkHead, choices: [], usage });
  const shown = job.echo ? await withEcho(choices, job, tokenizer, scorer) : choices;
  return {
    ...head,
    object: form.object,
    choices: shown.map((choice) => form.whole(choice)),
    usage,
    ...(job.tokenIds && { prompt_token_ids: choices[0]?.completion.trace?.promptTokens ?? null }),
  };
}

const plainReply: ReadReply = ({ text }) => ({ content: text, calls: [] });

function wholeParts(choice: Choice): Chunk[] {
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

/**
 * Adds prompts before their replies, for log-likelihood benchmarks.
 * @throws HttpError 400 without a scorer
 */
async function withEcho(
  choices: readonly Choice[],
  job: Job,
  tokenizer: Tokenizer,
  scorer: PromptScorer | undefined,
): Promise<Choice[]> {
  const perPrompt = choices.length / job.prompts.length;
  const tokens = job.prompts.map((_, i) => choices[i * perPrompt]?.completion.trace?.promptTokens ?? []);
  const scores = job.logProbs === null ? null : await score(tokens, job.topLogProbs, scorer);
  const echoed = job.prompts.map((prompt, i): EchoedPrompt => {
    const ids = tokens[i]!;
    // The first token has no log-prob.
    const listed = ids.map((token, t) => ({ token, atOne: t === 0 ? null : (scores?.[i]?.[t - 1] ?? null) }));
    return { text: prompt.kind === "text" ? prompt.text : tokenizer.decode(ids), listed };
  });
  return choices.map((choice, i) => ({
    ...choice,
    echo: echoed[Math.floor(i / perPrompt)]!,
    withoutReply: job.maxTokens === 0,
  }));
}

async function score(
  prompts: readonly (readonly number[])[],
  topLogProbs: number,
  scorer: PromptScorer | undefined,
): Promise<readonly (readonly LogProbsAtOne[])[]> {
  if (!scorer) throw invalid("this policy has no log-probs of prompts; remove echo or logprobs", "echo");
  const sequences = prompts.map((tokens) => ({ promptTokens: tokens.slice(0, 1), completionTokens: tokens.slice(1) }));
  return (await scorer.forward(sequences, { topLogProbs })).atOne ?? [];
}
