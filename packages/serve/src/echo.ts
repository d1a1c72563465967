import type { LogProbsAtOne, Sampler, Tokenizer } from "@laconic/core";
import type { Choice, EchoedPrompt } from "./forms.ts";
import { invalid } from "./http.ts";
import type { Job } from "./jobs.ts";

/** Gives log-probs of tokens that nobody sampled. */
export type PromptScorer = Pick<Sampler, "forward">;

/**
 * Puts the prompts before their replies, with log-probs where the job asks for them: what a benchmark reads the likelihood of
 * an answer from.
 * @throws HttpError 400 when nobody can score prompts here
 */
export async function withEcho(
  choices: readonly Choice[],
  job: Job,
  { tokenizer, scorer }: { readonly tokenizer: Tokenizer; readonly scorer: PromptScorer | undefined },
): Promise<Choice[]> {
  const perPrompt = choices.length / job.prompts.length;
  const firsts = job.prompts.map((_, i) => choices[i * perPrompt] as Choice);
  const tokens = firsts.map(({ completion }) => completion.trace?.promptTokens ?? []);
  const scores = job.logProbs === null ? null : await score(tokens, job.topLogProbs, scorer);
  const echoed = job.prompts.map((prompt, i): EchoedPrompt => {
    const own = tokens[i] as readonly number[];
    const text = prompt.kind === "text" ? prompt.text : tokenizer.decode(own);
    const places = scores?.[i] ?? [];
    // Nothing stands before the first token to predict it from.
    const listed = own.map((token, place) => ({ token, atOne: place === 0 ? null : (places[place - 1] ?? null) }));
    return { text, listed };
  });
  return choices.map((choice, i) => ({
    ...choice,
    echo: echoed[Math.floor(i / perPrompt)] as EchoedPrompt,
    withoutReply: job.maxTokens === 0,
  }));
}

async function score(
  prompts: readonly (readonly number[])[],
  topLogProbs: number,
  scorer: PromptScorer | undefined,
): Promise<readonly (readonly LogProbsAtOne[])[]> {
  if (!scorer) throw invalid("this policy gives no log-probs of prompts; leave echo or logprobs out", "echo");
  const sequences = prompts.map((tokens) => ({ promptTokens: tokens.slice(0, 1), completionTokens: tokens.slice(1) }));
  return (await scorer.forward(sequences, { topLogProbs })).atOne ?? [];
}
