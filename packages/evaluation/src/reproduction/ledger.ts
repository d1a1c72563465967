import {
  baselineNamed,
  describeProtocol,
  familyOf,
  protocolFor,
  protocolName,
  replyCeiling,
  scriptNameOf,
  type Baseline,
} from "@laconic/baselines";
import { benchmarkNamed } from "@laconic/benchmarks";
import { agentPoFigures } from "../published-agentpo.ts";
import { publishedCells } from "../published.ts";

/** A published figure, and how it is played here. */
export interface LedgerRow {
  readonly paper: "agent-gspo" | "agentpo" | "magrpo";
  readonly place: string;
  /** The paper's name of the row. */
  readonly row: string;
  /** Here; null for one that has to be trained first, or that is not here. */
  readonly method: string | null;
  readonly benchmark: string;
  readonly split: string;
  /** Questions. */
  readonly n: number | null;
  readonly model: string;
  readonly figure: string;
  /** Published texts that its requests are written with; null for our words. */
  readonly exemplars: string | null;
  readonly protocol: string | null;
  readonly decoding: string;
  /** What the paper leaves open. */
  readonly open: string;
  /** What differs; empty for one that is faithful once the published texts are here. */
  readonly differs: string;
  readonly command: string;
  /** At most. */
  readonly calls: number | null;
  readonly completionTokens: number | null;
}

/** The method that a row of the tables is played by. */
const methodOf: Readonly<Record<string, string>> = { vanilla: "vanilla:agentprune-direct" };

/** Every figure of the three papers whose text is public, in their order. */
export function reproductionLedger(): LedgerRow[] {
  return [...agentGspoRows(), ...agentPoRows(), magrpoRow];
}

/** Benchmarks and methods of one of Agent-GSPO's tables that need no training. */
export function playedTable(table: "1" | "2"): { readonly benchmarks: string[]; readonly methods: string[] } {
  const cells = publishedCells().filter((cell) => cell.table === table);
  const methods = cells.flatMap(({ row }) => (row === "agent-gspo" ? [] : [methodOf[row] ?? row]));
  return { benchmarks: [...new Set(cells.map(({ benchmark }) => benchmark))], methods: [...new Set(methods)] };
}

/** The published row of a method, in Agent-GSPO's tables. */
export function rowOf(method: string): string {
  return Object.entries(methodOf).find(([, name]) => name === method)?.[0] ?? method;
}

const gspoOpen = "Seeds, intervals, max tokens and sampling are not stated; nor is how totals of tokens count.";
const gspoModel = "gpt-4-1106-preview";

function agentGspoRows(): LedgerRow[] {
  return publishedCells().map(({ table, row, benchmark, figure, unit }) => ({
    paper: "agent-gspo",
    place: `Table ${table}`,
    row,
    model: gspoModel,
    figure: unit === "%" ? `${figure} %` : `${figure.toExponential(1)} tokens`,
    open: gspoOpen,
    ...(row === "agent-gspo"
      ? { ...trainedOn(benchmark), command: "laconic train preset:agent-gspo --run runs/agent-gspo" }
      : {
          ...playedOn(methodOf[row] ?? row, benchmark),
          command: `laconic reproduce agent-gspo --table ${table} --only ${methodOf[row] ?? row}/${benchmark} --model ${gspoModel}`,
        }),
  }));
}

type Played = Omit<LedgerRow, "paper" | "place" | "row" | "model" | "figure" | "open" | "command">;

function trainedOn(benchmark: string): Played {
  return {
    ...asked(benchmark),
    method: null,
    exemplars: null,
    protocol: null,
    decoding: "as trained",
    differs: "The paper trains a closed model; its team, split, prices, budget and steps are not given.",
    calls: null,
    completionTokens: null,
  };
}

function asked(benchmark: string): Pick<Played, "benchmark" | "split" | "n"> {
  const { defaultSplit, splits } = benchmarkNamed(benchmark);
  return { benchmark, split: defaultSplit, n: splits[defaultSplit]?.rows ?? null };
}

function playedOn(name: string, benchmark: string): Played {
  const method: Baseline = baselineNamed(name);
  const size = { benchmark, family: familyOf(benchmarkNamed(benchmark).answer.kind) };
  const protocol = protocolFor(method.protocols ?? [], size);
  const exemplars = scriptNameOf(protocol, benchmark);
  const { n, ...rest } = asked(benchmark);
  const calls = (n ?? 0) * method.maxCalls(size);
  const words = exemplars === null && !protocol.own ? ["The wording of its requests is ours."] : [];
  const { temperature, ceiling } = describeProtocol(protocol);
  return {
    ...rest,
    n,
    method: name,
    exemplars,
    protocol: protocolName(protocol),
    decoding: `temperature ${temperature}; max tokens ${ceiling}`,
    differs: [...words, ...protocol.differs].join(" "),
    calls,
    completionTokens: calls * replyCeiling(protocol),
  };
}

/** AgentPO's averages are of five benchmarks; what its text does not name a split of is left open. */
function agentPoRows(): LedgerRow[] {
  const known: Readonly<Record<string, string>> = {
    "role-assignment": "role-assignment",
    evoagent: "evoagent",
    "untrained hint": "hint",
    "single model": "vanilla",
    backbone: "vanilla",
  };
  return agentPoFigures.flatMap(({ method, actor, samples, average, benchmarks = {}, tokens }) => {
    const name = known[method] ?? null;
    const base = {
      paper: "agentpo" as const,
      row: samples === undefined ? method : `${method}, ${samples} problems`,
      method: name,
      split: "test",
      n: null,
      model: actor,
      exemplars: null,
      protocol: null,
      decoding: "of each protocol",
      open: "Which table a figure stands in, seeds and sampling are not in the public text.",
      differs: name === null ? "It has to be trained first, or is not here." : "The wording of its requests is ours.",
      command:
        name === null
          ? "laconic train preset:agentpo-hint --run runs/agentpo"
          : `laconic bench --benchmarks aime24,math500,olympiadbench,minerva,amc23 --methods ${name} --model ${actor}`,
      calls: null,
      completionTokens: null,
    };
    const row = (benchmark: string, figure: string): LedgerRow => ({ ...base, place: "text", benchmark, figure });
    return [
      ...(average === undefined ? [] : [row("average of five", `${average} %`)]),
      ...Object.entries(benchmarks).map(([benchmark, figure]) => row(benchmark, `${figure} %`)),
      ...(tokens === undefined ? [] : [row("average of five", `${tokens} tokens a problem`)]),
    ];
  });
}

const magrpoRow: LedgerRow = {
  paper: "magrpo",
  place: "text",
  row: "magrpo, writing",
  method: null,
  benchmark: "tldr, arxiv",
  split: "test",
  n: null,
  model: "2 x Qwen3-1.7B",
  figure: "3 times as fast as one model",
  exemplars: null,
  protocol: null,
  decoding: "as trained",
  open: "The public text holds no table: returns, tests and levels are in figures alone.",
  differs: "It has to be trained first.",
  command: "laconic train preset:magrpo --run runs/magrpo",
  calls: null,
  completionTokens: null,
};
