import table from "../assets/published.json" with { type: "json" };

/** Figures by row and benchmark. */
type Figures = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** A paper's figure of an ablation. */
export interface PublishedAblation {
  /** Points of accuracy against the whole; null where only a direction is printed. */
  readonly accuracyPoints: number | null;
  readonly said: string;
}

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
  readonly benchmarks?: Readonly<Record<string, number>>;
  /** Per problem, as the paper counts them. */
  readonly tokens?: number;
}

/** A comparison in AgentPO's text without a figure and its setting. */
interface AgentPoClaim {
  readonly method: string;
  readonly actor: string;
  readonly said: string;
  readonly benchmark?: string;
  readonly open: string;
}

/** How a row of AgentPO's text is played here, or why it is not, and the training command. */
interface AgentPoRow {
  readonly play?: string;
  readonly why?: string;
  readonly command?: string;
}

/** A result in MAGRPO's public text. */
interface MagrpoClaim {
  readonly row: string;
  readonly benchmark: string;
  readonly figure: string;
  readonly model: string;
  readonly command: string;
  readonly exemplars: string;
}

const { agentGspo, agentPo, magrpo } = table;

/** Accuracy in per cent of Agent-GSPO's Table 1; gpt-4-1106-preview, no seeds, no intervals. */
const accuracy: Figures = agentGspo.accuracy;
/** The papers' own methods of the same table, by the name that a run of theirs has here. */
const ownAccuracy: Figures = agentGspo.ownAccuracy;
/** A row that AgentPrune's Table 1 alone has, of the same model: SC (ComplexCoT). */
const agentPruneAccuracy: Figures = agentGspo.agentPruneAccuracy;
/** Table 2: tokens of a whole benchmark. Prompt only or both is not stated. */
const tokens: Figures = agentGspo.tokens;
/** Questions behind a total, which it fits: GSM8K's test, and the validation questions of MMLU. */
const tokenQuestions: Readonly<Record<string, number>> = agentGspo.tokenQuestions;
/** Fig. 2, whose figures section 4.3 gives. */
const ablations: Readonly<Record<string, PublishedAblation>> = agentGspo.ablations;

export const magrpoClaims: readonly MagrpoClaim[] = magrpo;

/** Every figure of AgentPO's public text that names its setting. Of Qwen-Plus the text does not say what is averaged. */
export const agentPoFigures: readonly AgentPoFigure[] = agentPo.figures;

/** Every comparison of AgentPO's public text without such a figure. */
export const agentPoClaims: readonly AgentPoClaim[] = agentPo.claims;

/** By AgentPO's name of a row. */
export const agentPoRows: Readonly<Record<string, AgentPoRow>> = agentPo.rows;

/** AgentPO's benchmarks, in its order. */
export const agentPoBenchmarks: readonly string[] = ["aime24", "math500", "olympiadbench", "minerva", "amc23"];

/** A published figure of Agent-GSPO's tables, by the row's name. */
export interface PublishedCell {
  readonly table: "1" | "2";
  readonly row: string;
  readonly benchmark: string;
  readonly figure: number;
  readonly unit: "%" | "tokens";
  /** Points above Vanilla, as Table 1 prints them in parentheses; null where none are. */
  readonly gain: number | null;
}

/** Every cell of Agent-GSPO's Tables 1 and 2. */
export function publishedCells(): readonly PublishedCell[] {
  const cellsOf = (number: "1" | "2", unit: PublishedCell["unit"], rows: Figures): PublishedCell[] =>
    Object.entries(rows).flatMap(([row, figures]) =>
      Object.entries(figures).map(([benchmark, figure]) => ({
        table: number,
        row,
        benchmark,
        figure,
        unit,
        gain: number === "2" || row === "vanilla" ? null : figure - (accuracy["vanilla"]?.[benchmark] ?? figure),
      })),
    );
  return [
    ...cellsOf("1", "%", { ...accuracy, ...ownAccuracy }),
    ...cellsOf("2", "%", agentGspo.accuracyInTable2),
    ...cellsOf("2", "tokens", tokens),
  ];
}

/** Where Agent-GSPO's figures are from, of which model, and how its totals are divided. */
export const publishedSource =
  "Agent-GSPO, Tables 1 and 2 (gpt-4-1106-preview; MMLU on 153 questions, standard error about 3 points; its token totals divided by 153 questions of MMLU and 1,319 of GSM8K, which they fit)";

/** Published accuracy in per cent; null where there is none. */
export function publishedAccuracy(method: string, benchmark: string): number | null {
  return (accuracy[method] ?? ownAccuracy[method] ?? agentPruneAccuracy[method])?.[benchmark] ?? null;
}

/** Published tokens of a benchmark, and of how many questions they are; null where there are none. */
export function publishedTokens(
  method: string,
  benchmark: string,
): { readonly total: number; readonly questions: number } | null {
  const [total, questions] = [tokens[method]?.[benchmark], tokenQuestions[benchmark]];
  return total === undefined || questions === undefined ? null : { total, questions };
}

const ownTitles: Readonly<Record<string, string>> = { "agentprune-r": "AgentPrune-R", "agent-gspo": "Agent-GSPO" };

/** Rows of the papers' own methods that are not among those that were run. */
export function publishedRows(
  ran: readonly string[],
): readonly { readonly title: string; readonly figures: Readonly<Record<string, number>> }[] {
  return Object.entries(ownAccuracy)
    .filter(([method]) => !ran.includes(method))
    .map(([method, figures]) => ({ title: `${ownTitles[method] ?? method} (published)`, figures }));
}

/** Source of the published ablations, and why they are compared only for their direction. */
export const publishedAblationSource =
  "Agent-GSPO, section 4.3 and Fig. 2: MMLU with gpt-4-1106-preview, no seeds, no intervals; another task and another model than here";

/** What Agent-GSPO prints of a variant: `no-price`, `no-group-normalisation`; null for others. */
export function publishedAblation(variant: string): PublishedAblation | null {
  return Object.hasOwn(ablations, variant) ? (ablations[variant] ?? null) : null;
}

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
  const [name = ""] = model.split("@");
  return Object.entries(actors).find(([, pattern]) => pattern.test(name))?.[0] ?? null;
}

/**
 * The published figures of a method with an actor, at the paper's 500 problems; null where there are none.
 * @param actor - the model's name, such as `hub:meta-llama/Llama-3.1-8B-Instruct@main`
 */
export function publishedAgentPo(method: string, actor: string): AgentPoFigure | null {
  const name = agentPoActor(actor);
  return (
    agentPoFigures.find(
      (figure) => figure.method === method && figure.samples === undefined && figure.actor === name,
    ) ?? null
  );
}
