import { ownWords } from "@laconic/baselines";
import {
  agentPoBenchmarks,
  agentPoClaims,
  agentPoFigures,
  agentPoRows,
  agentPruneColumns,
  magrpoClaims,
  publishedAblation,
  publishedCells,
  publishedTokens,
  trainedRows,
  type AgentPoFigure,
  type Claim,
  type PublishedCell,
} from "../published.ts";
import { askedOf, playedOn, playedOver, trainedOn, type Comparison, type LedgerRow } from "./played-on.ts";

const methodOf: Readonly<Record<string, string>> = { vanilla: "vanilla:agentprune-direct" };

/** All figures of the three papers with public text. */
export function reproductionLedger(): LedgerRow[] {
  return [...tableRows(), ...ablationRows(), ...agentPoLedger(), ...magrpoLedger()];
}

const gspo = { paper: "agent-gspo", model: "gpt-4-1106-preview" } as const;
const open = "Seeds, intervals and max tokens are not stated; nor is whether totals of tokens count replies.";

function tableRows(): LedgerRow[] {
  return publishedCells().map((cell) => {
    const { table, row, benchmark, unit, figure } = cell;
    const method = methodOf[row] ?? row;
    const isTrained = row === "agent-gspo";
    const isRepeated = !isTrained && unit === "%" && agentPruneColumns.includes(benchmark);
    const played = isTrained ? trainedOn(row, benchmark, askedOf(benchmark)) : playedOn(method, benchmark);
    // AgentPrune's code sends no temperature, and its paper names 1.
    const temperature = isRepeated ? "1" : null;
    return {
      ...gspo,
      ...played,
      place: `Table ${table}`,
      row,
      figure: printed(cell),
      takenBy: isTrained ? "Agent-GSPO" : baselineSource(row, isRepeated),
      temperature,
      open: row === "sc" ? `${open} How many samples vote is not stated: ours is 5.` : open,
      differs: [...played.differs, ...temperatureDiffers(temperature, played.ourTemperature)],
      comparison:
        unit === "%" ? { kind: "share", percent: figure } : { kind: "claims", claims: [tokenClaim(figure, benchmark)] },
      command: commandOf(`agent-gspo --table ${table}`, isTrained, method, benchmark, gspo.model),
    };
  });
}

/** @param isRepeated - whether the figure equals AgentPrune's */
function baselineSource(row: string, isRepeated: boolean): string {
  if (!isRepeated) return "not stated: Agent-GSPO, or a work that it repeats";
  return `AgentPrune (ICLR 2025), Table 1${row === "sc" ? ", SC (CoT)" : ""}; temperature 1`;
}

/** Departure of a played temperature from that of the figure. */
export function temperatureDiffers(published: string | null, played: string): string[] {
  return published === null || published === played ? [] : [`Temperature differs: ${played}, published ${published}.`];
}

/** Totals have two digits. */
function tokenClaim(total: number, benchmark: string): Claim {
  const { questions = 1 } = publishedTokens("vanilla", benchmark) ?? {};
  const half = 0.05 * 10 ** Math.floor(Math.log10(total));
  return { quantity: "tokens", low: (total - half) / questions, high: (total + half) / questions };
}

/** @param method - name of a method or of a trained row */
function commandOf(table: string, isTrained: boolean, method: string, benchmark: string, model: string): string {
  const cell = benchmark === average ? method : `${method}/${benchmark}`;
  return `laconic reproduce ${table} --only ${cell} ${isTrained ? `--run-of ${method}=RUN` : `--model ${model}`}`;
}

function printed({ figure, unit, gain }: PublishedCell): string {
  if (unit === "tokens") return `${figure.toExponential(1)} tokens`;
  return gain === null ? `${figure} %` : `${figure} % (${gain < 0 ? "" : "+"}${gain.toFixed(2)})`;
}

/** Uses the text, since the drawing has no readable numbers. */
function ablationRows(): LedgerRow[] {
  return ["no-price", "no-group-normalisation"].map((variant) => {
    const ablation = publishedAblation(variant);
    return {
      ...gspo,
      ...trainedOn(variant, "mmlu-153", askedOf("mmlu-153")),
      place: "Fig. 2",
      row: `agent-gspo, ${variant}`,
      figure: ablation?.said ?? "",
      takenBy: "Agent-GSPO",
      temperature: null,
      open,
      comparison: comparisonOf(ablation?.claims),
      command: `laconic reproduce agent-gspo --only /mmlu-153 --run-of agent-gspo=RUN --run-of ${variant}=RUN`,
    };
  });
}

function comparisonOf(claims: readonly Claim[] | undefined, reason = "The text states no relation."): Comparison {
  return claims ? { kind: "claims", claims } : { kind: "none", reason };
}

/** AgentPO's playable methods and benchmarks of an actor. */
export function agentPoTable(actor: string): { readonly benchmarks: string[]; readonly methods: string[] } {
  const methods = agentPoLedger().flatMap(({ model, method, isTrained }) =>
    model === actor && method !== null && !isTrained ? [method] : [],
  );
  return { benchmarks: [...agentPoBenchmarks], methods: [...new Set(methods)] };
}

export const average = "average of five";

function agentPoLedger(): LedgerRow[] {
  const left =
    "Seeds and the table of a figure are not in the public text. The released script asks at temperature 0 for at most 768 and 2,048 tokens.";
  const figures = agentPoFigures.flatMap((figure) => {
    const { method, actor, samples, average: mean, benchmarks = {}, tokens } = figure;
    const row = samples === undefined ? method : `${method}, ${samples} problems`;
    const share = (benchmark: string, percent: number, gain = "") =>
      [benchmark, `${percent} %${gain}`, { kind: "share", percent } as Comparison] as const;
    const exact = { quantity: "tokens", low: (tokens ?? 0) - 0.5, high: (tokens ?? 0) + 0.5 };
    const cells = [
      ...(mean === undefined ? [] : [share(average, mean, gains(figure))]),
      ...Object.entries(benchmarks).map(([benchmark, percent]) => share(benchmark, percent)),
      ...(tokens === undefined ? [] : [[average, `${tokens} tokens a problem`, comparisonOf([exact])] as const]),
    ];
    return cells.map(([benchmark, text, comparison]) => ({
      ...agentPoPlay(row, actor, benchmark),
      figure: text,
      open: left,
      comparison,
    }));
  });
  const claims = agentPoClaims.map(({ method, actor, benchmark = average, said: figure, open: reason, ...claim }) => ({
    ...agentPoPlay(method, actor, benchmark, claim.claims),
    figure,
    open: reason,
    comparison: comparisonOf(claim.claims, claim.reason),
  }));
  return [...figures, ...claims];
}

/** Gains as printed: over role assignment and over EvoAgent. */
function gains({ method, actor, average: mean = 0, samples }: AgentPoFigure): string {
  const others = ["role-assignment", "evoagent"].flatMap(
    (name) => agentPoFigures.find((figure) => figure.method === name && figure.actor === actor)?.average ?? [],
  );
  if (method !== "agentpo" || samples !== undefined || others.length < 2) return "";
  return ` (${others.map((other) => `+${(mean - other).toFixed(1)}`).join("/")})`;
}

function agentPoPlay(
  row: string,
  actor: string,
  benchmark: string,
  claims: readonly Claim[] = [],
): Omit<LedgerRow, "figure" | "open" | "comparison"> {
  const { play, as, run = null } = agentPoRows[row] ?? {};
  const model = as ?? actor;
  const base = { paper: "agentpo", place: "text", row, model, takenBy: "AgentPO", temperature: null } as const;
  const than = claims.flatMap(({ than: other }) => other ?? []).filter((name) => name !== play && name !== run);
  const methods = [...new Set([play ?? run ?? "", ...than])];
  const runs = methods.filter((name) => Object.hasOwn(trainedRows, name)).map((name) => ` --run-of ${name}=RUN`);
  const cells = methods.map((name) => (benchmark === average ? name : `${name}/${benchmark}`)).join(",");
  const command = `laconic reproduce agentpo --as ${model} --only ${cells} --model ${model}${runs.join("")}`;
  if (play === undefined) return { ...base, ...trainedOn(run, benchmark), command: run === null ? "none" : command };
  const played = benchmark === average ? playedOver(play, agentPoBenchmarks, average) : playedOn(play, benchmark);
  // The protocol's differences concern Agent-GSPO's row.
  const alone = [ownWords, "How the paper asks its single model is not in the public text."];
  return { ...base, ...played, differs: play === "vanilla" ? alone : played.differs, command };
}

function magrpoLedger(): LedgerRow[] {
  return magrpoClaims.map(({ command: training, claims, reason, ...claim }) => {
    const name = training.includes("magrpo-multiturn") ? "magrpo-code" : "magrpo";
    return {
      paper: "magrpo",
      place: "text",
      takenBy: "MAGRPO",
      temperature: null,
      open: "The public text holds no table: returns, tests and levels are in figures alone.",
      ...trainedOn(name, claim.benchmark),
      ...claim,
      training,
      comparison: comparisonOf(claims, reason),
      command: `laconic reproduce magrpo --run-of ${name}=RUN`,
    };
  });
}
