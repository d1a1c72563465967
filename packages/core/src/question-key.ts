import type { Problem } from "./problem.ts";

/**
 * A text that two problems share when they ask the same: question, views, and options in any order. Case, width of
 * characters and white space do not count; signs do, so that `2 + 3` is not `2 - 3`. Golds play no part.
 */
export function questionKey({
  question,
  views = {},
  choices = [],
}: Pick<Problem, "question" | "views"> & { readonly choices?: readonly string[] }): string {
  const seen = Object.keys(views)
    .toSorted()
    .map((agent) => [agent, plain(views[agent] ?? "")]);
  return JSON.stringify([plain(question), seen, choices.map((choice) => plain(choice)).toSorted()]);
}

function plain(text: string): string {
  return text.normalize("NFKC").toLowerCase().replaceAll(/\s+/gu, " ").trim();
}
