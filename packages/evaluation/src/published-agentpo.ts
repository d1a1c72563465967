/** AgentPO's benchmarks, in its order. */
export const agentPoBenchmarks = ["aime24", "math500", "olympiadbench", "minerva", "amc23"] as const;

/** A figure of AgentPO's text, with the setting that it is of. */
export interface AgentPoFigure {
  /** The method's name here, or the paper's for one that is not here. */
  readonly method: string;
  /** The frozen model that answers; of actor fine-tuning, its base. */
  readonly actor: string;
  /** Problems that the collaborator learned on, where it is not 500. */
  readonly samples?: number;
  /** Pass@1 in per cent, average of the five benchmarks. */
  readonly average?: number;
  /** Pass@1 in per cent, of single benchmarks. */
  readonly benchmarks?: Readonly<Partial<Record<(typeof agentPoBenchmarks)[number], number>>>;
  /** Per problem, as the paper counts them. */
  readonly tokens?: number;
}

/**
 * Every figure that a public summary of AgentPO's text holds and that names its setting. 700 and 1,000 problems are lower than 500,
 * without numbers; so are debate and role assignment with a collaborator, "gains on all". Of Qwen-Plus the text does not say what is averaged.
 */
export const agentPoFigures: readonly AgentPoFigure[] = [
  { method: "role-assignment", actor: "Llama-3.2-3B", average: 22.7 },
  { method: "evoagent", actor: "Llama-3.2-3B", average: 17.3 },
  { method: "agentpo", actor: "Llama-3.2-3B", average: 24.5 },
  { method: "role-assignment", actor: "Llama-3.1-8B", average: 25.9 },
  { method: "evoagent", actor: "Llama-3.1-8B", average: 20.2, tokens: 19_519 },
  {
    method: "agentpo",
    actor: "Llama-3.1-8B",
    average: 31.5,
    tokens: 1522,
    benchmarks: { aime24: 16.7, olympiadbench: 28.9 },
  },
  { method: "backbone", actor: "Qwen2.5-Math-7B", average: 38.2 },
  { method: "SimpleRL-Zero", actor: "Qwen2.5-Math-7B", average: 46.6 },
  { method: "Prime-Zero", actor: "Qwen2.5-Math-7B", average: 48 },
  { method: "OpenReasoner-Zero", actor: "Qwen2.5-Math-7B", average: 43 },
  { method: "agentpo", actor: "Qwen2.5-Math-7B", average: 49.4 },
  { method: "agentpo", actor: "Qwen2.5-Math-7B", samples: 100, average: 45.5 },
  { method: "single model", actor: "Qwen-Plus", average: 56.6 },
  { method: "untrained hint", actor: "Qwen-Plus", average: 55.1 },
  { method: "agentpo", actor: "Qwen-Plus", average: 58.8 },
];

/** A sentence of AgentPO's text that compares, with less than a figure and its setting. */
export interface AgentPoClaim {
  /** As in {@link AgentPoFigure}. */
  readonly method: string;
  readonly actor: string;
  /** As its text says it. */
  readonly said: string;
  readonly benchmark?: (typeof agentPoBenchmarks)[number];
  /** What keeps it from a figure of its own. */
  readonly open: string;
}

const [ofWhat, noNumber] = ["The text does not say of which method.", "The text gives no number."] as const;

/** All of them, so that nothing of its text is left out. */
export const agentPoClaims: readonly AgentPoClaim[] = [
  { method: "before AgentPO", actor: "Llama-3.1-8B", said: "6.7 %", benchmark: "aime24", open: ofWhat },
  { method: "before AgentPO", actor: "Llama-3.1-8B", said: "16.1 %", benchmark: "olympiadbench", open: ofWhat },
  {
    method: "agentpo",
    actor: "Llama-3.1-8B",
    said: "7.8 % of EvoAgent's tokens",
    open: "Nothing: it is 1,522 of 19,519.",
  },
  { method: "sc", actor: "Llama-3.1-8B", said: "5 to 12 times AgentPO's tokens, lower", open: noNumber },
  { method: "debate", actor: "Llama-3.1-8B", said: "5 to 12 times AgentPO's tokens, lower", open: noNumber },
  { method: "agentpo, 700 problems", actor: "Qwen2.5-Math-7B", said: "a little below 500 problems", open: noNumber },
  { method: "agentpo, 1000 problems", actor: "Qwen2.5-Math-7B", said: "a little below 500 problems", open: noNumber },
  { method: "agentpo, hint of 7B", actor: "Llama", said: "below a hint of 3B", open: noNumber },
  { method: "critic", actor: "not named", said: "does well untrained", open: noNumber },
  { method: "agentpo in a debate", actor: "Llama-3.2-3B", said: "gains on all five benchmarks", open: noNumber },
  { method: "agentpo in role assignment", actor: "Llama-3.2-3B", said: "gains on all five benchmarks", open: noNumber },
];

/** Where AgentPO's figures are from, and of which models. */
export const agentPoSource =
  "AgentPO (ICLR 2026), average of its five benchmarks, beside the same actor alone: Llama-3.2-3B, Llama-3.1-8B (tokens too), Qwen2.5-Math-7B or Qwen-Plus";

/** Names of the actors' weights as servers and hubs write them; another size or another tuning is another actor. */
const actors: Readonly<Record<string, RegExp>> = {
  "Llama-3.2-3B": /(?:^|[/:_-])llama-?3\.2[-:]3b(?:-instruct)?$/iu,
  "Llama-3.1-8B": /(?:^|[/:_-])llama-?3\.1[-:]8b(?:-instruct)?$/iu,
  "Qwen2.5-Math-7B": /(?:^|[/:])qwen2\.5-math-7b$/iu,
  "Qwen-Plus": /(?:^|[/:])qwen-plus$/iu,
};

/** The paper's name of an actor's weights; null for others. */
export function agentPoActor(model: string): string | null {
  const [name] = model.split("@");
  return Object.entries(actors).find(([, pattern]) => pattern.test(name ?? ""))?.[0] ?? null;
}

/**
 * The published figures of a method with an actor, at the paper's 500 problems; null where there are none.
 * @param actor - the model's name, such as `hub:meta-llama/Llama-3.1-8B-Instruct@main`
 */
export function publishedAgentPo(method: string, actor: string): AgentPoFigure | null {
  const name = agentPoActor(actor);
  const own = (figure: AgentPoFigure): boolean =>
    figure.method === method && figure.samples === undefined && figure.actor === name;
  return agentPoFigures.find((figure) => own(figure)) ?? null;
}
