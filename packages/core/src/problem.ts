/** Name of an agent within a team, such as `holder-a`. */
export type AgentId = string;

/** Question with a known answer, and private views of agents if information is distributed. */
export interface Problem {
  readonly id: string;
  /** Text for every agent. */
  readonly question: string;
  /** Reference answer, for graders only. Never part of a prompt. */
  readonly gold: string;
  /** Private view per agent; other agents see only `question`. */
  readonly views?: Readonly<Record<AgentId, string>>;
  /** Group excluded from training, such as `name/5-up` or `template/made`; also measured separately. */
  readonly group?: string;
  /** Other plain JSON for rewards, environments and reports; not in prompts by default. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/**
 * Key of a question without its gold. It ignores the order of views and options, case, character width and white space,
 * but not signs (`2 + 3` is not `2 - 3`).
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
