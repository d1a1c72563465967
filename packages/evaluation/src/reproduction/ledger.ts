import { ownWords } from "@laconic/baselines";
import {
  agentPoBenchmarks,
  agentPoClaims,
  agentPoFigures,
  agentPoRows,
  magrpoClaims,
  publishedAblation,
  publishedCells,
  type AgentPoFigure,
  type PublishedCell,
} from "../published.ts";
import { askedOf, notPlayed, playedOn, playedOver, type LedgerRow } from "./played-on.ts";

const methodOf: Readonly<Record<string, string>> = { vanilla: "vanilla:agentprune-direct" };

/** All figures of the three papers with public text. */
export function reproductionLedger(): LedgerRow[] {
  return [...tableRows(), ...ablationRows(), ...agentPoLedger(), ...magrpoLedger()];
}

/** Untrained benchmarks and methods of an Agent-GSPO table. */
export function playedTable(table: "1" | "2"): { readonly benchmarks: string[]; readonly methods: string[] } {
  const cells = publishedCells().filter((cell) => cell.table === table);
  const methods = cells.flatMap(({ row }) => (row === "agent-gspo" ? [] : [methodOf[row] ?? row]));
  return { benchmarks: [...new Set(cells.map(({ benchmark }) => benchmark))], methods: [...new Set(methods)] };
}

/** Published row of a method, in Agent-GSPO's tables. */
export function rowOf(method: string): string {
  return Object.entries(methodOf).find(([, name]) => name === method)?.[0] ?? method;
}

const gspo = {
  paper: "agent-gspo",
  model: "gpt-4-1106-preview",
  open: "Seeds, intervals, max tokens and sampling are not stated; nor is how totals of tokens count.",
} as const;

const closed = "The paper trains a closed model; its team, split, prices, budget and steps are not given.";

function tableRows(): LedgerRow[] {
  return publishedCells().map((cell) => {
    const { table, row, benchmark } = cell;
    const method = methodOf[row] ?? row;
    return {
      ...gspo,
      place: `Table ${table}`,
      row,
      figure: printed(cell),
      ...(row === "agent-gspo"
        ? {
            ...notPlayed(benchmark, closed, askedOf(benchmark)),
            command: "laconic train preset:agent-gspo --run runs/agent-gspo",
          }
        : {
            ...playedOn(method, benchmark),
            command: `laconic reproduce agent-gspo --table ${table} --only ${method}/${benchmark} --model ${gspo.model}`,
          }),
    };
  });
}

function printed({ figure, unit, gain }: PublishedCell): string {
  if (unit === "tokens") return `${figure.toExponential(1)} tokens`;
  return gain === null ? `${figure} %` : `${figure} % (${gain < 0 ? "" : "+"}${gain.toFixed(2)})`;
}

/** Uses the text, since the drawing has no readable numbers. */
function ablationRows(): LedgerRow[] {
  const command =
    "laconic sweep ablate preset:agent-gspo --variants no-price,no-group-normalisation --out runs/ablations";
  return ["no-price", "no-group-normalisation"].map((variant) => ({
    ...gspo,
    place: "Fig. 2",
    row: `agent-gspo, ${variant}`,
    figure: publishedAblation(variant)?.said ?? "",
    ...notPlayed("mmlu-153", `${closed} Ours trains on GSM8K.`, askedOf("mmlu-153")),
    command,
  }));
}

/** AgentPO's row of a method with an actor, or null. */
export function agentPoRowOf(method: string, actor: string): AgentPoFigure | null {
  const isRow = (figure: AgentPoFigure): boolean =>
    agentPoRows[figure.method]?.play === method && figure.actor === actor && !figure.samples;
  return agentPoFigures.find(isRow) ?? null;
}

/** AgentPO's playable methods and benchmarks. */
export function agentPoTable(actor: string): { readonly benchmarks: string[]; readonly methods: string[] } {
  const figures = agentPoFigures.filter((figure) => figure.actor === actor);
  const methods = figures.flatMap(({ method }) => agentPoRows[method]?.play ?? []);
  return { benchmarks: [...agentPoBenchmarks], methods: [...new Set(methods)] };
}

const average = "average of five";

function agentPoLedger(): LedgerRow[] {
  const open = "Which table a figure stands in, seeds and sampling are not in the public text.";
  const figures = agentPoFigures.flatMap((figure) => {
    const { method, actor: model, samples, average: mean, benchmarks = {}, tokens } = figure;
    const row = samples === undefined ? method : `${method}, ${samples} problems`;
    const cells = [
      ...(mean === undefined ? [] : [[average, `${mean} %${gains(figure)}`] as const]),
      ...Object.entries(benchmarks).map(([benchmark, share]) => [benchmark, `${share} %`] as const),
      ...(tokens === undefined ? [] : [[average, `${tokens} tokens a problem`] as const]),
    ];
    return cells.map(([benchmark, text]) => ({ ...agentPoPlay(method, model, benchmark), row, figure: text, open }));
  });
  const claims = agentPoClaims.map(({ method, actor, benchmark = average, said: figure, open: reason }) => ({
    ...agentPoPlay(method, actor, benchmark),
    row: method,
    figure,
    open: reason,
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

function agentPoPlay(name: string, model: string, benchmark: string): Omit<LedgerRow, "row" | "figure" | "open"> {
  const {
    play,
    why = "It has to be trained first.",
    command = "laconic train preset:agentpo-hint --run runs/agentpo",
  } = agentPoRows[name] ?? {};
  const base = { paper: "agentpo", place: "text", model } as const;
  if (play === undefined) return { ...base, ...notPlayed(benchmark, why), command };
  const played = benchmark === average ? playedOver(play, agentPoBenchmarks, average) : playedOn(play, benchmark);
  // The protocol's differences concern Agent-GSPO's row.
  const differs =
    play === "vanilla" ? `${ownWords} How the paper asks its single model is not in the public text.` : played.differs;
  return { ...base, ...played, differs, command: `laconic reproduce agentpo --only ${play} --model ${model}` };
}

function magrpoLedger(): LedgerRow[] {
  return magrpoClaims.map((claim) => ({
    paper: "magrpo",
    place: "text",
    open: "The public text holds no table: returns, tests and levels are in figures alone.",
    ...notPlayed(claim.benchmark, "It has to be trained first."),
    ...claim,
  }));
}
