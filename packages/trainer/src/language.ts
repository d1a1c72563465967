import { mapValues, type AgentId, type Episode, type Sampler, type Utterance } from "@laconic/core";
import type { TrainingParts } from "./spec/parts.ts";

/** Measures of an agent's non-empty texts. */
export interface Language {
  /** exp(mean -log π) per token under the first policy, without end tokens; 0 without text. */
  readonly perplexity: number;
  /** The same with end tokens. */
  readonly perplexityWithEnd?: number;
  /** Share of word pairs that the same text already contained. */
  readonly repetition: number;
  /** Share of different words. */
  readonly vocabulary: number;
  /**
   * Template entropy in bits. Blanks replace names that the speaker read and copies of three or more words. Single
   * blanks do not count.
   */
  readonly templateEntropy?: number;
  readonly commonestTemplate?: number;
}

interface Said {
  readonly logProb: number;
  readonly tokens: number;
  readonly end: { readonly logProb: number; readonly tokens: number };
  readonly words: readonly string[];
  readonly template: string;
}

const nothing: Said = { logProb: 0, tokens: 0, end: { logProb: 0, tokens: 0 }, words: [], template: "" };

export type SaidTexts = ReadonlyMap<Utterance, Said>;

/** Log-probs of the trained agents' texts under the first policies: one forward pass per policy. */
export async function saidTexts(
  parts: Pick<TrainingParts, "policies">,
  references: Readonly<Record<string, Sampler>>,
  episodes: readonly Episode[],
  temperature: number,
): Promise<SaidTexts> {
  const message = new Map<Utterance, Said>();
  for (const [name, { agents }] of Object.entries(parts.policies)) {
    const reference = references[name];
    const spoken = episodes
      .flatMap(({ utterances }) => utterances)
      .filter(({ agent, trace }) => agents.includes(agent) && trace !== undefined);
    const whole = spoken.filter((utterance) => wordTokens(utterance) > 0);
    if (!reference || whole.length === 0) continue;
    const sequences = whole.map(({ trace }) => {
      const { promptTokens, tokens } = trace!;
      return { promptTokens, completionTokens: tokens, temperature };
    });
    const { logProbs } = await reference.forward(sequences);
    for (const utterance of spoken) message.set(utterance, nothing);
    whole.forEach((utterance, i) => {
      const values = logProbs.values.subarray(logProbs.offsets[i], logProbs.offsets[i + 1]);
      const tokens = wordTokens(utterance);
      message.set(utterance, {
        logProb: sum([...values.subarray(0, tokens)]),
        tokens,
        end: { logProb: sum([...values.subarray(tokens)]), tokens: values.length - tokens },
        words: wordsIn(utterance.text),
        template: templateOf(utterance),
      });
    });
  }
  return message;
}

export function languageOf(episodes: readonly Episode[], texts: SaidTexts): Readonly<Record<AgentId, Language>> {
  const byAgent: Record<AgentId, Said[]> = {};
  for (const utterance of episodes.flatMap(({ utterances }) => utterances)) {
    const message = texts.get(utterance);
    if (message) (byAgent[utterance.agent] ??= []).push(message);
  }
  return mapValues(byAgent, measured);
}

function measured(replies: readonly Said[]): Language {
  const [tokens, words] = [sum(replies.map((item) => item.tokens)), replies.flatMap((item) => item.words)];
  const ends = sum(replies.map(({ end }) => end.tokens));
  const [logProb, endLogProb] = [sum(replies.map((item) => item.logProb)), sum(replies.map(({ end }) => end.logProb))];
  const pairs = replies.map((item) => item.words.slice(1).map((word, i) => `${item.words[i]} ${word}`));
  const all = sum(pairs.map(({ length }) => length));
  return {
    perplexity: tokens === 0 ? 0 : Math.exp(-logProb / tokens),
    perplexityWithEnd: tokens === 0 ? 0 : Math.exp(-(logProb + endLogProb) / (tokens + ends)),
    repetition: all === 0 ? 0 : 1 - sum(pairs.map((textPairs) => new Set(textPairs).size)) / all,
    vocabulary: words.length === 0 ? 0 : new Set(words).size / words.length,
    ...templates(replies.map(({ template }) => template).filter((text) => text !== "" && text !== blank)),
  };
}

function templates(texts: readonly string[]): Required<Pick<Language, "templateEntropy" | "commonestTemplate">> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const shares = Array.from(counts.values(), (count) => count / texts.length);
  return {
    templateEntropy: sum(shares.map((share) => -share * Math.log2(share))),
    commonestTemplate: Math.max(0, ...shares),
  };
}

/** Min consecutive words of a copy. */
const copied = 3;

/** Replaces names and words copied from the prompt by blanks. */
function templateOf({ prompt, text }: Utterance): string {
  const [original, lower] = [text.match(words) ?? [], wordsIn(text)];
  const read = new Set(prompt.match(words));
  const before = ` ${wordsIn(prompt).join(" ")} `;
  const stands = (from: number, to: number): boolean => before.includes(` ${lower.slice(from, to).join(" ")} `);
  const parts: string[] = [];
  for (let i = 0; i < original.length;) {
    const word = original[i]!;
    let end = i + copied;
    const isCopy = end <= original.length && stands(i, end);
    while (isCopy && end < original.length && stands(i, end + 1)) end += 1;
    const isBlank = isCopy || (/^\p{Lu}/u.test(word) && read.has(word));
    if (!isBlank) parts.push(lower[i]!);
    else if (parts.at(-1) !== blank) parts.push(blank);
    i = isCopy ? end : i + 1;
  }
  return parts.join(" ");
}

function wordTokens({ trace, finishReason }: Utterance): number {
  return Math.max(0, (trace?.tokens.length ?? 0) - (finishReason === "stop" ? 1 : 0));
}

const blank = "_";

const words = /[\p{L}\p{N}]+/gu;

const wordsIn = (text: string): string[] => text.toLowerCase().match(words) ?? [];

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
