import type { RecordedEpisode } from "@laconic/core/run-folder";

/** Characters of a text that are shown; what is cut is counted. */
const maxCharacters = 4000;

/**
 * An episode as plain text: problem, every turn, answer and grade. Control characters and those that turn the direction of reading
 * are shown by their numbers, and every line of it is indented, so that no text of a model passes for a line of ours.
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
  return linesOf(cut)
    .map((line) => `    ${line}`)
    .join("\n");
}

/** The lines of a text, nothing of which is hidden. */
function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/u).map(visible);
}

/** Control characters, line and paragraph separators, marks of direction, byte-order marks and lone surrogates. */
const hidden = /[\p{Cc}\p{Cs}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** Text in which nothing is hidden: `\u202e` stands for what would turn the line around. */
function visible(text: string): string {
  return text.replaceAll(hidden, (each) =>
    each === "\t" ? "  " : `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
