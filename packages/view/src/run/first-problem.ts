import type { RecordedEpisode } from "@laconic/core/run-folder";
import { visibleText } from "@laconic/core/text";
import { pairTranscripts } from "./transcripts.ts";

/** Characters of a message or question that a line shows. */
const maxCharacters = 160;

/** The first recorded problem with the team's messages before and after training; null where no problem was recorded twice. */
export function firstProblemText(transcripts: readonly RecordedEpisode[]): string | null {
  const [pair] = pairTranscripts(transcripts);
  if (!pair) return null;
  const { question, gold } = pair[0].problem;
  return [
    `first validation problem: ${shortened(question)}, expected ${shortened(gold)}`,
    ...pair.map((transcript, i) => transcriptText(transcript, i === 0 ? "before" : "after")),
  ].join("\n");
}

function transcriptText({ step, episode, task }: RecordedEpisode, when: string): string {
  const { utterances } = episode;
  const tokens = utterances.reduce((sum, { writtenTokens }) => sum + writtenTokens, 0);
  const width = Math.max(...utterances.map(({ agent }) => agent.length));
  const lines = utterances.map(
    ({ agent, text, silent }) => `    ${agent.padEnd(width)}  ${silent ? "(silent)" : shortened(text)}`,
  );
  const verdict = task === 1 ? "right" : "wrong";
  return [`  ${when} training (step ${step}): ${tokens} tokens, ${verdict}`, ...lines].join("\n");
}

function shortened(text: string): string {
  const line = visibleText(text).replaceAll(/\s+/gu, " ").trim();
  return line.length > maxCharacters ? `${line.slice(0, maxCharacters)} ...` : line;
}
