import type { AgentId, Episode, Sampler, TokenTrace, Utterance } from "@laconic/core";
import type { TrainingParts } from "./parts.ts";

/** How an agent's words look to the policy before its first step, and to a reader. */
export interface Language {
  /** exp of the mean -log π per token under the first policy, without the token that ends a text; 0 where nothing was said. */
  readonly perplexity: number;
  /** Share of pairs of words that the same text had before. */
  readonly repetition: number;
  /** Different words as a share of all words, over all texts. */
  readonly vocabulary: number;
}

/** What one text adds up to. */
interface Said {
  readonly logProb: number;
  readonly tokens: number;
  readonly words: readonly string[];
}

/** The texts of a set of episodes as the first policy sees them, to be measured for any part of it. */
export type SaidTexts = ReadonlyMap<Utterance, Said>;

/** Log-probs of what trained agents said, under the policies of the beginning: one forward pass each. */
export async function saidTexts(
  parts: Pick<TrainingParts, "policies">,
  references: Readonly<Record<string, Sampler>>,
  episodes: readonly Episode[],
  temperature: number,
): Promise<SaidTexts> {
  const said = new Map<Utterance, Said>();
  for (const [name, { agents }] of Object.entries(parts.policies)) {
    const reference = references[name];
    const spoken = episodes
      .flatMap(({ utterances }) => utterances)
      .filter(({ agent, trace }) => agents.includes(agent) && trace !== undefined);
    const whole = spoken.filter((utterance) => tokensOf(utterance).length > 0);
    if (!reference || whole.length === 0) continue;
    const sequences = whole.map((utterance) => ({
      promptTokens: (utterance.trace as TokenTrace).promptTokens,
      completionTokens: tokensOf(utterance),
      temperature,
    }));
    const { logProbs } = await reference.forward(sequences);
    for (const utterance of spoken) said.set(utterance, { logProb: 0, tokens: 0, words: [] });
    whole.forEach((utterance, i) => {
      const own = logProbs.values.subarray(logProbs.offsets[i], logProbs.offsets[i + 1]);
      said.set(utterance, {
        logProb: own.reduce((sum, value) => sum + value, 0),
        tokens: own.length,
        words: wordsIn(utterance.text),
      });
    });
  }
  return said;
}

/** The language of each agent in some of the episodes. */
export function languageOf(episodes: readonly Episode[], texts: SaidTexts): Readonly<Record<AgentId, Language>> {
  const byAgent: Record<AgentId, Said[]> = {};
  for (const utterance of episodes.flatMap(({ utterances }) => utterances)) {
    const said = texts.get(utterance);
    if (said) (byAgent[utterance.agent] ??= []).push(said);
  }
  return Object.fromEntries(Object.entries(byAgent).map(([agent, said]) => [agent, measured(said)]));
}

function measured(said: readonly Said[]): Language {
  const [tokens, words] = [sum(said.map((each) => each.tokens)), said.flatMap((each) => each.words)];
  const pairs = said.map((each) => each.words.slice(1).map((word, i) => `${each.words[i]} ${word}`));
  const all = sum(pairs.map(({ length }) => length));
  return {
    perplexity: tokens === 0 ? 0 : Math.exp(-sum(said.map(({ logProb }) => logProb)) / tokens),
    repetition: all === 0 ? 0 : 1 - sum(pairs.map((own) => new Set(own).size)) / all,
    vocabulary: words.length === 0 ? 0 : new Set(words).size / words.length,
  };
}

/** Without the token that ended it: how a first policy would have ended is no question of language. */
function tokensOf({ trace, finishReason }: Utterance): readonly number[] {
  const tokens = [...(trace?.tokens ?? [])];
  return finishReason === "stop" ? tokens.slice(0, -1) : tokens;
}

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
