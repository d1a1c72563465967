import { ownWords } from "@laconic/baselines";
import { agentPoBenchmarks, agentPoClaims, agentPoFigures, type AgentPoFigure } from "../published-agentpo.ts";
import { publishedAblation, publishedCells, type PublishedCell } from "../published.ts";
import { askedOf, notPlayed, playedOn, type LedgerRow, playedOver, type Played } from "./played-on.ts";

/** The method that a row of the tables is played by. */
const methodOf: Readonly<Record<string, string>> = { vanilla: "vanilla:agentprune-direct" };

/** Every figure of the three papers whose text is public, in their order. */
export function reproductionLedger(): LedgerRow[] {
  return [...tableRows(), ...ablationRows(), ...agentPoRows(), ...magrpoRows()];
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

/** Fig. 2, by what its text says of it: the drawing itself holds no numbers that we could read. */
function ablationRows(): LedgerRow[] {
  const command = "laconic sweep ablate preset:agent-gspo --variants no-price,no-group-normalisation --out runs/ablations";
  return ["no-price", "no-group-normalisation"].map((variant) => ({
    ...gspo,
    place: "Fig. 2",
    row: `agent-gspo, ${variant}`,
    figure: publishedAblation(variant)?.said ?? "",
    ...notPlayed("mmlu-153", `${closed} Ours trains on GSM8K.`, askedOf("mmlu-153")),
    command,
  }));
}

/** Rows of AgentPO's text that are played without training, by its name of them. */
const agentPoMethods: Readonly<Record<string, string>> = {
  "role-assignment": "role-assignment",
  evoagent: "evoagent",
  "untrained hint": "hint",
  critic: "critic",
  sc: "sc",
  debate: "debate",
  "single model": "vanilla",
  backbone: "vanilla",
};

/** AgentPO's name of a row that a method stands for with an actor; null for none. */
export function agentPoRowOf(method: string, actor: string): AgentPoFigure | null {
  return (
    agentPoFigures.find((each) => agentPoMethods[each.method] === method && each.actor === actor && !each.samples) ??
    null
  );
}

/** What of AgentPO's text can be played: its methods with any of these actors, on its five benchmarks. */
export function agentPoTable(actor: string): { readonly benchmarks: string[]; readonly methods: string[] } {
  const methods = agentPoFigures.flatMap((each) => (each.actor === actor ? (agentPoMethods[each.method] ?? []) : []));
  return { benchmarks: [...agentPoBenchmarks], methods: [...new Set(methods)] };
}

const open = "Which table a figure stands in, seeds and sampling are not in the public text.";
const average = "average of five";

/** Every figure of AgentPO's text, then every sentence that compares without one. */
export function agentPoRows(): LedgerRow[] {
  const figures = agentPoFigures.flatMap((figure) => {
    const { method, actor, samples, average: mean, benchmarks = {}, tokens } = figure;
    const row = samples === undefined ? method : `${method}, ${samples} problems`;
    const of = (benchmark: string, text: string): LedgerRow => agentPoRow(row, method, actor, benchmark, text, open);
    return [
      ...(mean === undefined ? [] : [of(average, `${mean} %${gains(figure)}`)]),
      ...Object.entries(benchmarks).map(([benchmark, share]) => of(benchmark, `${share} %`)),
      ...(tokens === undefined ? [] : [of(average, `${tokens} tokens a problem`)]),
    ];
  });
  const claims = agentPoClaims.map((claim) =>
    agentPoRow(claim.method, claim.method, claim.actor, claim.benchmark ?? average, claim.said, claim.open),
  );
  return [...figures, ...claims];
}

/** As the text prints them: above role assignment, and above EvoAgent. */
function gains({ method, actor, average: mean = 0, samples }: AgentPoFigure): string {
  const others = ["role-assignment", "evoagent"].flatMap(
    (name) => agentPoFigures.find((each) => each.method === name && each.actor === actor)?.average ?? [],
  );
  if (method !== "agentpo" || samples !== undefined || others.length < 2) return "";
  return ` (${others.map((other) => `+${(mean - other).toFixed(1)}`).join("/")})`;
}

function agentPoRow(
  row: string,
  named: string,
  actor: string,
  benchmark: string,
  figure: string,
  leaves: string,
): LedgerRow {
  const method = agentPoMethods[named];
  const base = { paper: "agentpo", place: "text", row, model: actor, figure, open: leaves } as const;
  if (method === undefined) return { ...base, ...notPlayed(benchmark, reason(named)), command: trainedBy(named) };
  const played: Played =
    benchmark === average ? playedOver(method, agentPoBenchmarks, average) : playedOn(method, benchmark);
  // What is said of Vanilla is of Agent-GSPO's row.
  const differs = method === "vanilla" ? `${ownWords} ${singleModel}` : played.differs;
  return { ...base, ...played, differs, command: `laconic reproduce agentpo --only ${method} --model ${actor}` };
}

const singleModel = "How the paper asks its single model is not in the public text.";
const peers: readonly string[] = ["SimpleRL-Zero", "Prime-Zero", "OpenReasoner-Zero"];

function reason(row: string): string {
  if (row === "before AgentPO") return "Nobody knows which row it is of.";
  return peers.includes(row)
    ? "Another's training of the actor: not here. The command trains the actor by our means."
    : "It has to be trained first.";
}

function trainedBy(row: string): string {
  if (peers.includes(row)) return "laconic train preset:actor-finetune --run runs/actor";
  if (row === "before AgentPO") return "none";
  if (row.includes(" problems"))
    return "laconic sweep preset:agentpo-hint train.problemPool=100,500,700,1000 --seeds 0-2";
  if (row.includes("debate")) return "laconic train preset:agentpo-debate --run runs/agentpo";
  if (row.includes("role assignment")) return "laconic train preset:agentpo-roles --run runs/agentpo";
  return "laconic train preset:agentpo-hint --run runs/agentpo";
}

/** What MAGRPO's public text says of its results. */
const said: readonly Pick<LedgerRow, "row" | "benchmark" | "figure" | "model" | "command" | "exemplars">[] = [
  ...["tldr", "arxiv"].map((benchmark) => ({
    row: "magrpo, writing",
    benchmark,
    figure: "3 times as fast as one model, and more coherent",
    model: "2 x Qwen3-1.7B",
    command: `laconic train preset:magrpo${benchmark === "arxiv" ? " task.form=arxiv" : ""} task.prompts=published --run runs/writers`,
    exemplars: `magrpo-${benchmark}`,
  })),
  ...["humaneval", "coophumaneval"].flatMap((benchmark) =>
    [
      ["magrpo, code", "better code and cooperation than fixed models"],
      ["magrpo, several turns", "better with feedback from outside"],
    ].map(([row = "", figure = ""]) => ({
      row,
      benchmark,
      figure: `${figure}, without a number`,
      model: "2 x Qwen2.5-Coder-3B",
      command: `laconic train preset:magrpo-multiturn task.benchmark=${benchmark} task.prompts=published --run runs/coders`,
      exemplars: "magrpo-code",
    })),
  ),
  ...["fallback", "decorator", "coordinator", "strategy filter"].map((scheme) => ({
    row: `magrpo, scheme ${scheme}`,
    benchmark: "humaneval, coophumaneval",
    figure: "appears in training, without a count",
    model: "2 x Qwen2.5-Coder-3B",
    command: "laconic train preset:magrpo-multiturn task.prompts=published --run runs/coders",
    exemplars: "magrpo-code",
  })),
];

/** A row each. */
export function magrpoRows(): LedgerRow[] {
  return said.map((each) => ({
    paper: "magrpo",
    place: "text",
    open: "The public text holds no table: returns, tests and levels are in figures alone.",
    ...notPlayed(each.benchmark, "It has to be trained first."),
    ...each,
  }));
}
