import { publishedAblation, publishedCells, type PublishedCell } from "../published.ts";
import { agentPoRows } from "./agentpo-rows.ts";
import { magrpoRows } from "./magrpo-rows.ts";
import { askedOf, notPlayed, playedOn, type LedgerRow } from "./played-on.ts";

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
