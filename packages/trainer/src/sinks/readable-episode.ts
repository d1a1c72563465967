import type { RecordedEpisode } from "@laconic/core/run-folder";

const maxCharacters = 4000;

/**
 * Formats problem, turns, answer and grade. Control and direction characters are escaped, and model text is indented,
 * so that it cannot imitate our lines.
 */
export function readableEpisode({ problem, episode, task }: RecordedEpisode): string {
  const turns = episode.utterances.map(({ agent, silent, text, writtenTokens }) =>
    silent ? `${visible(agent)}: (silent)` : `${visible(agent)} (${writtenTokens} tokens):\n${indented(text)}`,
  );
  const grade = Number.isNaN(task) ? "no score" : String(task);
  return [
    `problem ${visible(problem.id)}:\n${indented(problem.question)}`,
    ...turns,
    `answer: ${episode.answer === null ? "(none)" : `\n${indented(episode.answer)}`}`,
    `expected:\n${indented(problem.gold)}`,
    `grade: ${grade}`,
  ].join("\n");
}

function indented(text: string): string {
  const cut =
    text.length > maxCharacters
      ? `${text.slice(0, maxCharacters)}\n(${text.length - maxCharacters} more characters)`
      : text;
  return cut
    .split(/\r\n|\r|\n/u)
    .map((line) => `    ${visible(line)}`)
    .join("\n");
}

/** Control characters, separators, direction marks, byte-order marks and lone surrogates. */
const hidden = /[\p{Cc}\p{Cs}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

function visible(text: string): string {
  return text.replaceAll(hidden, (item) =>
    item === "\t" ? "  " : `\\u${item.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
