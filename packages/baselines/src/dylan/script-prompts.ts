import type { Prompt } from "@laconic/core";
import { filled, type Script, textOf } from "../protocols/script.ts";

/** A debater's request in the words of DyLAN's script for MATH. */
export function dylanPrompt(script: Script, problem: string, replies: readonly string[]): Prompt {
  const question = questionOf(script, problem);
  const others = replies.map((reply) => filled(textOf(script, "reply"), reply)).join("");
  const content =
    replies.length === 0
      ? question
      : `${textOf(script, "before")}${question}${textOf(script, "replies")}${others}${textOf(script, "update")}`;
  return {
    kind: "messages",
    messages: [
      { role: "system", content: textOf(script, "system") },
      { role: "user", content },
    ],
  };
}

/** The ranker's request, which has no system message. */
export function dylanRankPrompt(script: Script, problem: string, replies: readonly string[]): Prompt {
  const listed = replies.map((reply, i) => `${textOf(script, "ranked")}${i + 1}: \`\`\`${reply}\`\`\``).join("");
  const content = `${textOf(script, "before")}${questionOf(script, problem)}${textOf(script, "replies")}${listed}${textOf(script, "rank")}`;
  return { kind: "messages", messages: [{ role: "user", content }] };
}

function questionOf(script: Script, problem: string): string {
  return `${textOf(script, "examples")}${textOf(script, "task")}${problem}\nAnswer:`;
}
