import table from "../assets/published.json" with { type: "json" };

type Figures = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Published figure of an ablation. */
export interface PublishedAblation {
  readonly said: string;
  readonly claims: readonly Claim[];
}

/** Statement about a quantity of a row, alone or compared with another row; a missing bound is open. */
export interface Claim {
  /** `accuracy`, `tokens`, `seconds`, `score`, or a measure such as `coherence`. */
  readonly quantity: string;
  readonly than?: string;
  readonly as?: string;
  readonly low?: number;
  readonly high?: number;
  /** Holds on each benchmark, not only on average. */
  readonly each?: boolean;
  /** The quantity is above 0 at least once. */
  readonly occurs?: boolean;
}

/** Published facts about a trained row, by setting; null if not stated. */
export interface TrainedRow {
  readonly preset: string;
  readonly published: Readonly<Record<string, string | null>>;
  readonly command: string;
}

export interface AgentPoFigure {
  /** Our name of the method, or the paper's. */
  readonly method: string;
  /** Answering model; the base for actor fine-tuning. */
  readonly actor: string;
  /** Training problems of the collaborator, if not 500. */
  readonly samples?: number;
  /** Mean Pass@1 of the five benchmarks in per cent. */
  readonly average?: number;
  /** Pass@1 of single benchmarks in per cent. */
  readonly benchmarks?: Readonly<Record<string, number>>;
  /** Tokens per problem, by the paper's count. */
  readonly tokens?: number;
}

interface AgentPoClaim {
  readonly method: string;
  readonly actor: string;
  readonly said: string;
  readonly benchmark?: string;
  readonly open: string;
  readonly claims?: readonly Claim[];
  readonly reason?: string;
}

interface MagrpoClaim {
  readonly row: string;
  readonly benchmark: string;
  readonly figure: string;
  readonly model: string;
  readonly command: string;
  readonly exemplars: string;
  readonly claims?: readonly Claim[];
  readonly reason?: string;
}

const { agentGspo, agentPo, magrpo, trained } = table;

/** Rows that need training, by their name in `reproduce --run-of NAME=RUN`. */
export const trainedRows: Readonly<Record<string, TrainedRow>> = trained;

/** Benchmarks of AgentPrune's Table 1, whose 48 figures Agent-GSPO's Table 1 repeats; its SC row is SC (CoT). */
export const agentPruneColumns: readonly string[] = agentGspo.agentPruneColumns;

/** Agent-GSPO's Table 1 in per cent; gpt-4-1106-preview, no seeds or intervals. */
const accuracy: Figures = agentGspo.accuracy;
const ownAccuracy: Figures = agentGspo.ownAccuracy;
/** SC (ComplexCoT), which only AgentPrune's Table 1 has; same model. */
const agentPruneAccuracy: Figures = agentGspo.agentPruneAccuracy;
/** Table 2: tokens of a whole benchmark, perhaps without completions. */
const tokens: Figures = agentGspo.tokens;
/** Number of questions that fits the totals. */
const tokenQuestions: Readonly<Record<string, number>> = agentGspo.tokenQuestions;
/** Fig. 2, with figures from section 4.3. */
const ablations: Readonly<Record<string, PublishedAblation>> = agentGspo.ablations;

export const magrpoClaims: readonly MagrpoClaim[] = magrpo;

/** Figures of AgentPO's public text that name their setting. The average of Qwen-Plus is undefined. */
export const agentPoFigures: readonly AgentPoFigure[] = agentPo.figures;

export const agentPoClaims: readonly AgentPoClaim[] = agentPo.claims;

/** Rows by AgentPO's name: a method, or a run of {@link trainedRows}; `as` is the actor's own name in `reproduce --as`. */
export const agentPoRows: Readonly<Record<string, { play?: string; as?: string; run?: string }>> = agentPo.rows;

export const agentPoBenchmarks: readonly string[] = ["aime24", "math500", "olympiadbench", "minerva", "amc23"];

export interface PublishedCell {
  readonly table: "1" | "2";
  readonly row: string;
  readonly benchmark: string;
  readonly figure: number;
  readonly unit: "%" | "tokens";
  /** Points above Vanilla, as in Table 1. */
  readonly gain: number | null;
}

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

/** Source and model of Agent-GSPO's figures, and divisors of its totals. */
export const publishedSource =
  "Agent-GSPO, Tables 1 and 2 (gpt-4-1106-preview; MMLU on 153 questions, standard error about 3 points; its token totals divided by 153 questions of MMLU and 1,319 of GSM8K, which they fit)";

/** Published accuracy in per cent, or null. */
export function publishedAccuracy(method: string, benchmark: string): number | null {
  return (accuracy[method] ?? ownAccuracy[method] ?? agentPruneAccuracy[method])?.[benchmark] ?? null;
}

export function publishedTokens(
  method: string,
  benchmark: string,
): { readonly total: number; readonly questions: number } | null {
  const [total, questions] = [tokens[method]?.[benchmark], tokenQuestions[benchmark]];
  return total === undefined || questions === undefined ? null : { total, questions };
}

const ownTitles: Readonly<Record<string, string>> = { "agentprune-r": "AgentPrune-R", "agent-gspo": "Agent-GSPO" };

export function publishedRows(
  ran: readonly string[],
): readonly { readonly title: string; readonly figures: Readonly<Record<string, number>> }[] {
  return Object.entries(ownAccuracy)
    .filter(([method]) => !ran.includes(method))
    .map(([method, figures]) => ({ title: `${ownTitles[method] ?? method} (published)`, figures }));
}

/** Source of the published ablations, and why only directions are compared. */
export const publishedAblationSource =
  "Agent-GSPO, section 4.3 and Fig. 2: MMLU with gpt-4-1106-preview, no seeds, no intervals; only directions are comparable";

/** Published ablation of a variant (`no-price`, `no-group-normalisation`), or null. */
export function publishedAblation(variant: string): PublishedAblation | null {
  return Object.hasOwn(ablations, variant) ? (ablations[variant] ?? null) : null;
}

/** Source and models of AgentPO's figures. */
export const agentPoSource =
  "AgentPO (ICLR 2026), average of its five benchmarks, and of the same actor alone: Llama-3.2-3B, Llama-3.1-8B (tokens too), Qwen2.5-Math-7B or Qwen-Plus";

/** Weight names on servers and hubs; other sizes or tunings do not match. */
const actors: Readonly<Record<string, RegExp>> = {
  "Llama-3.2-3B": /(?:^|[/:_-])llama-?3\.2[-:]3b(?:-instruct)?$/iu,
  "Llama-3.1-8B": /(?:^|[/:_-])llama-?3\.1[-:]8b(?:-instruct)?$/iu,
  "Qwen2.5-Math-7B": /(?:^|[/:])qwen2\.5-math-7b$/iu,
  "Qwen-Plus": /(?:^|[/:])qwen-plus$/iu,
};

/** The paper's name of an actor's weights, or null. */
export function agentPoActor(model: string): string | null {
  const [name = ""] = model.split("@");
  return Object.entries(actors).find(([, pattern]) => pattern.test(name))?.[0] ?? null;
}

/**
 * Published figures of a method with an actor at 500 problems, or null.
 * @param actor - such as `hub:meta-llama/Llama-3.1-8B-Instruct@main`
 */
export function publishedAgentPo(method: string, actor: string): AgentPoFigure | null {
  const name = agentPoActor(actor);
  return (
    agentPoFigures.find(
      (figure) => figure.method === method && figure.samples === undefined && figure.actor === name,
    ) ?? null
  );
}
