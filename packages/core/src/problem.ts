/** Name of an agent within a team, for example `holder-a`. */
export type AgentId = string;

/**
 * One question with a known answer, and what each agent may see of it.
 * Information is distributed when `views` differ: an agent sees only its own view.
 */
export interface Problem {
  readonly id: string;
  /** What every agent may see. */
  readonly question: string;
  /** The reference answer, for graders only. Never part of a prompt. */
  readonly gold: string;
  /** Private view per agent; an agent without one sees `question` alone. */
  readonly views?: Readonly<Record<AgentId, string>>;
  /** What is new in it that training never has, such as `name/5-up` or `template/made`; measured apart too. */
  readonly group?: string;
  /** What else is known of it, in plain JSON: for rewards, environments and reports. No prompt holds it by itself. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

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
