import type { EpisodeSummary, TellingEpisode } from "../protocol.ts";

/**
 * The most telling conversations of a run, at most one for each reason, the one to open first:
 * 1. `saving`: the problem whose grade is the same in both evaluations and whose tokens fell most, of right ones if there are any;
 * 2. `failure`: right at first and wrong at last, with the fewest tokens; else wrong at last, with the most tokens;
 * 3. `silence`: right at last with the most silent agents, then the fewest tokens.
 *
 * No conversation has two reasons. Ties go to the problem whose id sorts first.
 * @param first - episodes of the first evaluation
 * @param last - episodes of the last one
 */
export function tellingEpisodes(
  first: readonly EpisodeSummary[],
  last: readonly EpisodeSummary[],
): readonly Omit<TellingEpisode, "way">[] {
  const earlier = new Map(first.map((episode) => [episode.problem, episode]));
  const saved = ({ problem, tokens }: EpisodeSummary): number => (earlier.get(problem)?.tokens ?? tokens) - tokens;
  // Without a grade the answers are compared.
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

/** Highest rank first. */
function byRank(rank: (episode: EpisodeSummary) => readonly [number, number]) {
  return (a: EpisodeSummary, b: EpisodeSummary): number => {
    const [[a1, a2], [b1, b2]] = [rank(a), rank(b)];
    return b1 - a1 || b2 - a2 || (a.problem < b.problem ? -1 : Number(a.problem > b.problem));
  };
}
