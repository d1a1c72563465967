/** Name within a team. */
export type AgentId = string;

/** Question with a known answer, and private views of agents. */
export interface Problem {
  readonly id: string;
  readonly question: string;
  /** Reference answer, never part of a prompt. */
  readonly gold: string;
  /** Other agents see only `question`. */
  readonly views?: Readonly<Record<AgentId, string>>;
  /** Excluded from training, and also measured separately. */
  readonly group?: string;
  /** Plain JSON for rewards, environments and reports; not in prompts by default. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/**
 * Key of a question without its gold. It ignores the order of views and options, case, width and white space, but not
 * signs (`2 + 3` is not `2 - 3`).
 */
export function questionKey({
  question,
  views = {},
  choices = [],
}: Pick<Problem, "question" | "views"> & { readonly choices?: readonly string[] }): string {
  const seen = Object.keys(views)
    .toSorted()
    .map((agent) => [agent, plain(views[agent] ?? "")]);
  return JSON.stringify([plain(question), seen, choices.map(plain).toSorted()]);
}

function plain(text: string): string {
  return text.normalize("NFKC").toLowerCase().replaceAll(/\s+/gu, " ").trim();
}
