import type { EpisodeSummary, TellingEpisode, TellingReason } from "../protocol.ts";

interface Pair {
  readonly before: EpisodeSummary;
  readonly episode: EpisodeSummary;
}

/**
 * The most telling conversations of a run, at most one for each reason, the one to open first:
 * 1. `saving`: the problem whose grade is the same in both evaluations and whose tokens fell most, of right ones if there are any;
 * 2. `failure`: right at first and wrong at last, with the fewest tokens; else wrong at last, with the most tokens;
 * 3. `silence`: right at last with the most silent agents, then the fewest tokens.
 * None is named twice, and of equal ones the problem counts whose id sorts first.
 * @param first - episodes of the first evaluation, or none
 * @param last - of the last one
 */
export function tellingEpisodes(
  first: readonly EpisodeSummary[],
  last: readonly EpisodeSummary[],
): readonly Omit<TellingEpisode, "way">[] {
  const earlier = new Map(first.map((episode) => [episode.problem, episode]));
  const pairs = last.flatMap((episode): Pair[] => {
    const before = earlier.get(episode.problem);
    return before ? [{ before, episode }] : [];
  });
  const found: Omit<TellingEpisode, "way">[] = [];
  const tell = (why: TellingReason, candidates: readonly EpisodeSummary[], by: (each: EpisodeSummary) => number[]) => {
    const isTold = new Set(found.map(({ episode }) => episode.key));
    const [episode] = candidates.filter(({ key }) => !isTold.has(key)).toSorted(descending(by));
    if (episode) found.push({ why, episode, before: earlier.get(episode.problem) ?? null });
  };
  const saved = ({ problem, tokens }: EpisodeSummary): number => (earlier.get(problem)?.tokens ?? tokens) - tokens;
  const alike = pairs.filter((pair) => isAlike(pair) && saved(pair.episode) > 0).map(({ episode }) => episode);
  tell("saving", alike, (each) => [isRight(each) ? 1 : 0, saved(each)]);
  const lost = pairs.filter(({ before, episode }) => isRight(before) && isWrong(episode));
  if (lost.length > 0)
    tell(
      "failure",
      lost.map(({ episode }) => episode),
      ({ tokens }) => [-tokens],
    );
  else tell("failure", last.filter(isWrong), ({ tokens }) => [tokens]);
  const quiet = last.filter((each) => isRight(each) && each.silent.length > 0);
  tell("silence", quiet, ({ silent, tokens }) => [silent.length, -tokens]);
  return found;
}

function isRight({ grade }: EpisodeSummary): boolean {
  return grade === 1;
}

function isWrong({ grade }: EpisodeSummary): boolean {
  return grade !== null && grade < 1;
}

/** Without a grade the answers are compared. */
function isAlike({ before, episode }: Pair): boolean {
  return before.grade === episode.grade && (episode.grade !== null || before.answer === episode.answer);
}

function descending(by: (each: EpisodeSummary) => number[]): (a: EpisodeSummary, b: EpisodeSummary) => number {
  return (a, b) => {
    const [left, right] = [by(a), by(b)];
    const at = left.findIndex((value, i) => value !== right[i]);
    return at === -1
      ? Number(a.problem > b.problem) - Number(a.problem < b.problem)
      : (right[at] ?? 0) - (left[at] ?? 0);
  };
}
