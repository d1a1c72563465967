/** Name of an agent within a team, for example `holder-a`. */
export type AgentId = string;

/** A question with a known answer, and private views of agents if information is distributed. */
export interface Problem {
  readonly id: string;
  /** What every agent may see. */
  readonly question: string;
  /** The reference answer, for graders only. Never part of a prompt. */
  readonly gold: string;
  /** Private view per agent; an agent without one sees `question` alone. */
  readonly views?: Readonly<Record<AgentId, string>>;
  /** What training never has, such as `name/5-up` or `template/made`; measured separately too. */
  readonly group?: string;
  /** Other data as plain JSON for rewards, environments and reports; never in prompts by default. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/**
 * Key of a question: views and options in any order; case, width of characters and white space ignored, signs kept
 * (`2 + 3` is not `2 - 3`). Golds are not part of it.
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
