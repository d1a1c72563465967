import { environmentName, type Problem } from "@laconic/core";
import { costBreakdown, type Charge, type TurnCost } from "@laconic/core/ledger";
import { meanOf } from "@laconic/core/numeric";
import type { EpisodeDetail, MessageValue, TurnDetail } from "../protocol.ts";
import { type StoredContent, type StoredEpisode, type StoredUtterance, unpackNumbers } from "@laconic/core/run-folder";
import { trainedCharges, type CostSettings } from "./episode-charges.ts";

/** What a turn was trained with: an advantage for each token, or one for all. */
type Advantage = number | readonly number[];

interface Parts {
  readonly problem: Problem;
  readonly episode: Pick<StoredEpisode, "answer" | "ledger" | "observations">;
  readonly turns: readonly {
    readonly said: StoredUtterance;
    readonly ids: readonly number[] | null;
    readonly logProbs: ArrayLike<number>;
    readonly advantage: Advantage | null;
  }[];
  readonly terms: Readonly<Record<string, number | null>>;
  readonly prices: Readonly<Record<string, number | null>>;
  readonly charges: readonly Charge[];
  readonly messageValue: readonly MessageValue[];
}

/** Of a step's record: a rollout, with what it was trained with. */
export function trainedEpisode(
  content: StoredContent,
  number: number,
  costs: CostSettings,
): Omit<EpisodeDetail, "row" | "others"> {
  const rollout = content.rollouts?.[number];
  const problem = rollout && content.problems?.[rollout.group];
  const episode = rollout && content.episodes[rollout.episode];
  if (!rollout || !problem || !episode) throw new Error(`there is no episode ${number} in it`);
  const advantages = advantagesOf(content);
  const grade = gradeOf(content.episodes[rollout.episode]);
  return assemble({
    problem,
    episode,
    turns: episode.utterances.map((utterance) => ({
      ...tokensOf(content, utterance),
      advantage: advantages.get(utterance) ?? null,
    })),
    terms: rollout.terms,
    prices: content.prices ?? {},
    charges: trainedCharges(content, number, costs),
    // The same team without an agent's words, where credit was given by difference.
    messageValue: Object.entries(rollout.without ?? {}).flatMap(([agent, other]) => {
      const without = gradeOf(content.episodes[other]);
      const own = episode.utterances.map((each) => content.utterances[each]).filter((each) => each?.agent === agent);
      // What two turns of an agent are worth is not told apart.
      return own.length === 1 && !Number.isNaN(grade - without)
        ? [{ turn: (own[0] as StoredUtterance).turn, value: grade - without, interval: null }]
        : [];
    }),
  });
}

/** Of an evaluation's record. */
export function evaluatedEpisode(content: StoredContent, number: number): Omit<EpisodeDetail, "row" | "others"> {
  const played = content.played?.[number];
  const episode = played && content.episodes[played.episode];
  if (!played || !episode) throw new Error(`there is no episode ${number} in it`);
  const turns = episode.utterances.map((utterance) => ({ ...tokensOf(content, utterance), advantage: null }));
  return assemble({ ...untrained, problem: played.problem, episode, turns });
}

/** What an evaluation pays and learns. */
const untrained = { terms: {}, prices: {}, charges: [], messageValue: [] };

/** NaN without a score. */
export function gradeOf(episode: Pick<StoredEpisode, "score"> | undefined): number {
  const { score } = episode ?? {};
  return score?.status === "scored" && typeof score.value === "number" ? score.value : Number.NaN;
}

function tokensOf(content: StoredContent, utterance: number): Omit<Parts["turns"][number], "advantage"> {
  const said = content.utterances[utterance];
  if (!said) throw new Error(`there is no utterance ${utterance} in it`);
  let from = 0;
  for (const { tokens } of content.utterances.slice(0, utterance)) from += tokens?.length ?? 0;
  const length = said.tokens?.length ?? 0;
  const logProbs = unpackNumbers(content.sampledLogProbs).subarray(from, from + length);
  return { said, ids: said.tokens ?? null, logProbs };
}

/** By number of the utterance. */
function advantagesOf(content: StoredContent): ReadonlyMap<number, Advantage> {
  const found = new Map<number, Advantage>();
  for (const { sequences, advantages } of Object.values(content.policies ?? {})) {
    const values = unpackNumbers(advantages);
    let at = 0;
    sequences.forEach(([rollout, turn], i) => {
      const { episode = -1 } = content.rollouts?.[rollout] ?? {};
      const utterance = content.episodes[episode]?.utterances.find((each) => content.utterances[each]?.turn === turn);
      const length = content.utterances[utterance ?? -1]?.tokens?.length ?? 0;
      const own = values.length === sequences.length ? values[i] : Array.from(values.subarray(at, at + length));
      if (utterance !== undefined && own !== undefined) found.set(utterance, own);
      at += length;
    });
  }
  return found;
}

function assemble({
  problem,
  episode,
  turns,
  terms,
  prices,
  charges,
  messageValue,
}: Parts): Omit<EpisodeDetail, "row" | "others"> {
  const calls = new Map(episode.ledger.calls.map((call) => [call.turn, call]));
  const cost = costBreakdown({ ledger: episode.ledger, utterances: turns.map(({ said }) => said) }, charges);
  const costs = new Map(cost.turns.flatMap((each) => (each.agent === environmentName ? [] : [[each.turn, each]])));
  return {
    problem,
    answer: episode.answer,
    turns: turns.map(({ said, ids, logProbs, advantage }): TurnDetail => {
      const { agent, opponent = null, turn, round, text, silent, writtenTokens, deliveredTo } = said;
      const charged = costs.get(turn);
      return {
        agent,
        opponent,
        turn,
        round,
        text,
        silent,
        writtenTokens,
        deliveredTo,
        reads: calls.get(turn)?.reads.flatMap((read) => (read.from === environmentName ? [] : [read.turn])) ?? [],
        observed: observedAfter(turn, episode),
        earned: episode.observations?.find((each) => each.turn === turn)?.reward ?? null,
        view: Object.hasOwn(problem.views ?? {}, agent) ? (problem.views?.[agent] ?? null) : null,
        tokens:
          ids?.map((id, t) => ({
            id,
            text: "",
            logProb: logProbs[t] ?? Number.NaN,
            advantage: typeof advantage === "number" ? advantage : (advantage?.[t] ?? null),
            price: tokenCost(charged, t),
          })) ?? null,
        advantage: typeof advantage === "number" ? advantage : advantage && meanOf(advantage),
      };
    }),
    terms: numbersOf(terms),
    prices: numbersOf(prices),
    cost,
    messageValue,
  };
}

function observedAfter(turn: number, { observations = [] }: Parts["episode"]): TurnDetail["observed"] {
  const found = observations.find((each) => each.turn === turn && each.text !== "");
  return found ? { text: found.text, tokens: found.tokens } : null;
}

/** Of the token at a place in a turn: those of the message come first, then its end token, which nobody reads. */
function tokenCost(turn: TurnCost | undefined, place: number): number {
  if (!turn) return 0;
  const { readers, message, end, unread } = turn;
  const isMessage = place < message;
  const cost = isMessage ? readers.reduce((sum, each) => sum + each.cost, 0) : end.cost + unread.cost;
  return cost === 0 ? 0 : cost / (isMessage ? message : end.tokens + unread.tokens);
}

/** Without those that JSON could not hold. */
function numbersOf(values: Readonly<Record<string, number | null>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
  );
}
