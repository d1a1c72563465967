import type { EpisodeSummary, TellingEpisode } from "../protocol.ts";

/**
 * Returns a run's most telling conversations, most telling first, one per reason. Ties go to the first problem id.
 * 1. `saving`: equal grade in both evaluations and the largest token saving; right ones are preferred.
 * 2. `failure`: right at first, wrong at last, fewest tokens; else wrong at last, most tokens.
 * 3. `silence`: right at last, most silent agents, then fewest tokens.
 * @param first - episodes of the first evaluation
 * @param last - episodes of the last evaluation
 */
export function tellingEpisodes(
  first: readonly EpisodeSummary[],
  last: readonly EpisodeSummary[],
): readonly Omit<TellingEpisode, "way">[] {
  const earlier = new Map(first.map((episode) => [episode.problem, episode]));
  const saved = ({ problem, tokens }: EpisodeSummary): number => (earlier.get(problem)?.tokens ?? tokens) - tokens;
  // Compares answers if there is no grade.
  const isSaving = (episode: EpisodeSummary): boolean => {
    const { grade, answer } = earlier.get(episode.problem) ?? episode;
    return saved(episode) > 0 && grade === episode.grade && (grade !== null || answer === episode.answer);
  };
  const lost = last.filter((episode) => isWrong(episode) && earlier.get(episode.problem)?.grade === 1);
  const isQuiet = ({ grade, silent }: EpisodeSummary): boolean => grade === 1 && silent.length > 0;
  const told: Omit<TellingEpisode, "way">[] = [];
  const tell = (
    why: TellingEpisode["why"],
    candidates: readonly EpisodeSummary[],
    rank: (episode: EpisodeSummary) => readonly [number, number],
  ): void => {
    const [episode] = candidates
      .filter(({ key }) => told.every((other) => other.episode.key !== key))
      .toSorted(byRank(rank));
    if (episode) told.push({ why, episode, before: earlier.get(episode.problem) ?? null });
  };
  tell("saving", last.filter(isSaving), (episode) => [Number(episode.grade === 1), saved(episode)]);
  if (lost.length > 0) tell("failure", lost, ({ tokens }) => [-tokens, 0]);
  else tell("failure", last.filter(isWrong), ({ tokens }) => [tokens, 0]);
  tell("silence", last.filter(isQuiet), ({ silent, tokens }) => [silent.length, -tokens]);
  return told;
}

function isWrong({ grade }: EpisodeSummary): boolean {
  return grade !== null && grade < 1;
}

function byRank(rank: (episode: EpisodeSummary) => readonly [number, number]) {
  return (a: EpisodeSummary, b: EpisodeSummary): number => {
    const [[a1, a2], [b1, b2]] = [rank(a), rank(b)];
    return b1 - a1 || b2 - a2 || (a.problem < b.problem ? -1 : Number(a.problem > b.problem));
  };
}
