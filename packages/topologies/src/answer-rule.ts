import type { AgentId, Utterance } from "@laconic/core";

/** Chooses the team's answer. */
export interface AnswerRule<A extends AgentId = AgentId> {
  readonly name: string;
  readonly agents: readonly A[];
  readonly choose: (utterances: readonly Utterance[]) => Utterance | null;
}

/** Last non-silent message of one agent. */
export function answerOf<A extends AgentId>(agent: A): AnswerRule<A> {
  return {
    name: `answer-of(${agent})`,
    agents: [agent],
    choose: (utterances) => lastWords(agent, utterances),
  };
}

/**
 * Most frequent last answer; ties go to the first listed.
 * @param key - equal for equal answers, null for no vote. Default: the trimmed text
 */
export function plurality<A extends AgentId>(
  agents: readonly A[],
  key: (text: string) => string | null = (text) => text.trim() || null,
): AnswerRule<A> {
  return {
    name: `plurality(${agents.join(",")})`,
    agents,
    choose(utterances) {
      const votes = new Map<string, { readonly first: Utterance; count: number }>();
      for (const agent of agents) {
        const spoken = lastWords(agent, utterances);
        const choice = spoken && key(spoken.text);
        if (spoken === null || choice === null) continue;
        const vote = votes.get(choice);
        if (vote) vote.count += 1;
        else votes.set(choice, { first: spoken, count: 1 });
      }
      const [winner] = [...votes.values()].toSorted((a, b) => b.count - a.count);
      return winner?.first ?? null;
    },
  };
}

/**
 * Stops early if all last answers are equal.
 * @param key - equal for equal answers, null for no answer. Default: the trimmed text
 */
export function unanimous(
  agents: readonly AgentId[],
  key: (text: string) => string | null = (text) => text.trim() || null,
): (utterances: readonly Utterance[]) => boolean {
  return (utterances) => {
    const answers = new Set(agents.map((agent) => key(lastWords(agent, utterances)?.text ?? "")));
    return answers.size === 1 && !answers.has(null);
  };
}

/**
 * A judge selects a candidate's last message; otherwise their plurality decides.
 * @param choice - reads the position from 1, or null. Default: the only number
 */
export function judgedBy<A extends AgentId>(
  judge: A,
  candidates: readonly A[],
  choice: (text: string) => number | null = onlyNumber,
): AnswerRule<A> {
  const { choose: vote } = plurality(candidates);
  return {
    name: `judged-by(${judge}: ${candidates.join(",")})`,
    agents: [judge, ...candidates],
    choose(utterances) {
      const position = choice(lastWords(judge, utterances)?.text ?? "");
      const chosen = position === null ? undefined : candidates[position - 1];
      return (chosen === undefined ? null : lastWords(chosen, utterances)) ?? vote(utterances);
    },
  };
}

function onlyNumber(text: string): number | null {
  const numbers = new Set(text.match(/\d+/gu) ?? []);
  const [only] = numbers;
  return numbers.size === 1 ? Number(only) : null;
}

export function lastWords(agent: AgentId, utterances: readonly Utterance[]): Utterance | null {
  return utterances.findLast((utterance) => utterance.agent === agent && !utterance.silent) ?? null;
}
