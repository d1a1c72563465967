import type { Episode, Utterance } from "@laconic/core";
import { meanOf } from "@laconic/core/numeric";
import type { CreditSettings } from "../settings/config.ts";

/**
 * What each utterance of an episode is worth, by its turn; null where all share the episode's reward.
 *
 * - `difference`: the reward less that of the same episode with the speaker silent (difference rewards, Wolpert & Tumer 2002).
 * - `margin`, `quality`: the utterance's own grade R, moved from the second round on by the mean grade Q of the rounds before:
 *   R + alpha (R - Q), or R + alpha (Q R - (1 - Q)(1 - R)), as MARTI shapes debates; costs of the episode are added.
 *
 * @param utteranceScores - of each utterance as if it were the answer
 * @param reward - of the episode; `rewardWithout` the same for the episode without an agent
 * @param costs - what of the reward is not the task's
 */
export function utteranceCredit(
  credit: CreditSettings,
  { episode, utteranceScores = [] }: { readonly episode: Episode; readonly utteranceScores?: readonly number[] },
  { reward, costs, rewardWithout }: { reward: number; costs: number; rewardWithout: (agent: string) => number },
): ReadonlyMap<number, number> | null {
  if (credit.kind === "shared") return null;
  if (credit.kind === "difference")
    return new Map(episode.utterances.map(({ agent, turn }) => [turn, reward - rewardWithout(agent)]));
  return new Map(
    episode.utterances.map((utterance, i) => {
      const grade = utteranceScores[i] as number;
      const quality = meanBefore(episode.utterances, utteranceScores, utterance.round);
      return [utterance.turn, (quality === null ? grade : shaped(credit, grade, quality)) + costs];
    }),
  );
}

/**
 * What is scored beside the episode, where credit asks for it: the same with each utterance, in order, as its only answer;
 * silence is none.
 */
export function answersToScore({ kind }: CreditSettings, episode: Episode): Episode[] {
  if (kind !== "margin" && kind !== "quality") return [];
  return episode.utterances.map(({ agent, text, silent }) => ({
    ...episode,
    answer: silent ? null : text,
    ...(episode.outputs && { outputs: silent ? {} : { [agent]: text } }),
  }));
}

function shaped({ kind, alpha }: Extract<CreditSettings, { alpha: number }>, grade: number, quality: number): number {
  return kind === "margin"
    ? grade + alpha * (grade - quality)
    : grade + alpha * (quality * grade - (1 - quality) * (1 - grade));
}

/** Mean grade of all that was said in earlier rounds; null in the first. */
function meanBefore(utterances: readonly Utterance[], grades: readonly number[], round: number): number | null {
  return meanOf(grades.filter((_, i) => (utterances[i] as Utterance).round < round));
}
