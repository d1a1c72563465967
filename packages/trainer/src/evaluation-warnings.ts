import type { RecordedEpisode } from "@laconic/core/run-folder";
import { agentErrorWarning } from "./agent-errors.ts";
import type { Evaluation } from "./evaluate.ts";

/** Why an evaluation measures less than it seems to: no problems, agents' errors, or replies that are all cut. Each text once a run. */
export function evaluationWarnings(
  { problems, accuracy }: Evaluation,
  episodes: readonly Pick<RecordedEpisode, "episode">[],
): string[] {
  if (problems === 0)
    return ["the evaluation has no problems, so its accuracy means nothing: add validation problems to the task"];
  const replies = episodes.flatMap(({ episode }) => episode.utterances).filter(({ silent }) => !silent);
  // Answers of a fixed length end at their limit and are right.
  const areCut = replies.length > 0 && accuracy < 0.5 && replies.every(({ finishReason }) => finishReason === "length");
  return [
    agentErrorWarning(episodes.map(({ episode }) => episode)) ?? [],
    areCut
      ? "all replies of an evaluation were cut, and most answers are wrong: raise the agents' maxTokens or limits"
      : [],
  ].flat();
}
