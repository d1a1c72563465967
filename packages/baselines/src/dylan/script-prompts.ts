import type { Prompt } from "@laconic/core";
import { asked } from "../prompts/chat.ts";
import { filled, optionsOf, type Script, textOf } from "../protocols/script.ts";

/**
 * A debater's request in the words of DyLAN's scripts: for MATH, whose debaters are alike, or for MMLU, whose debaters have roles, number
 * what they read and score it.
 * @param title - of its role; absent where all are alike
 */
export function dylanPrompt(
  script: Script,
  title: string | undefined,
  problem: string,
  replies: readonly string[],
): Prompt {
  const question = questionOf(script, problem);
  const system = `${title === undefined ? "" : `${textOf(script, title)}\n`}${textOf(script, "system")}`;
  if (replies.length === 0) return asked(firstOf(script, question), system);
  const before = `${textOf(script, "before")}${question}${textOf(script, "replies")}${othersOf(script, replies)}`;
  const update = textOf(script, "update");
  return asked(`${before}${isForChoices(script) ? filled(update, String(replies.length)) : update}`, system);
}

/** The ranker's request, which has no system message. */
export function dylanRankPrompt(script: Script, problem: string, replies: readonly string[]): Prompt {
  return asked(
    `${textOf(script, "before")}${questionOf(script, problem)}${textOf(script, "replies")}${numbered(script, replies)}${textOf(script, "rank")}`,
  );
}

function questionOf(script: Script, problem: string): string {
  if (isForChoices(script)) {
    const { stem, options } = optionsOf(problem);
    return filled(textOf(script, "options"), stem, ...options);
  }
  return `${textOf(script, "examples")}${textOf(script, "task")}${problem}\nAnswer:`;
}

function firstOf(script: Script, question: string): string {
  return isForChoices(script) ? `${textOf(script, "before")}${question}${textOf(script, "first")}` : question;
}

function othersOf(script: Script, replies: readonly string[]): string {
  if (isForChoices(script)) return numbered(script, replies);
  return replies.map((reply) => filled(textOf(script, "reply"), reply)).join("");
}

function numbered(script: Script, replies: readonly string[]): string {
  return replies.map((reply, i) => `${textOf(script, "ranked")}${i + 1}: \`\`\`${reply}\`\`\``).join("");
}

function isForChoices(script: Script): boolean {
  return textOf(script, "options") !== "";
}
