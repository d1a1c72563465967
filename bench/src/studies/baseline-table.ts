// Tables of what bench/src/studies/team-baselines.ts measured, for a page: means over seeds, with the least and the most.
//   npx tsx bench/src/studies/baseline-table.ts docs/results/tellers-baselines.jsonl
import { readFileSync } from "node:fs";
import { readWords } from "../options.ts";

interface Figures {
  readonly problems: number;
  readonly accuracy: number;
  readonly tokens: number;
  readonly idleSilent?: number | null;
  readonly holderSilent?: number | null;
}

interface Row extends Figures {
  readonly name: string;
  readonly seed: string | number;
  readonly n?: number;
  readonly messagesLeftOut?: number;
  readonly messagesSwapped?: number;
  readonly groups?: Readonly<Record<string, Figures>>;
}

const rows = readWords().flatMap((file) =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row),
);
/** Replies are cut at each seed's own length. */
const nameOf = ({ name }: Row): string => name.replace(/ at \d+ tokens$/u, " at the same length");
const names = [...new Set(rows.map(nameOf))];

const percent = (value: number): string => `${Math.round(100 * value)}`;
/** The mean of the seeds, and from the least to the most: `78 (71 to 84)`. */
function shown(values: readonly (number | null | undefined)[], format: (value: number) => string): string {
  const known = values.filter((value): value is number => typeof value === "number");
  if (known.length === 0) return "";
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  const [least, most] = [format(Math.min(...known)), format(Math.max(...known))];
  return least === most ? least : `${format(mean)} (${least} to ${most})`;
}

const table = (columns: readonly string[], body: readonly (readonly string[])[]): string =>
  [columns, columns.map(() => "---"), ...body].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

const tokens = (value: number): string => value.toFixed(1);
const baselines = names.map((name) => {
  const own = rows.filter((row) => nameOf(row) === name);
  const each = (pick: (row: Row) => number | null | undefined, format = percent): string =>
    shown(own.map(pick), format);
  return [
    name,
    each(({ accuracy }) => accuracy),
    each((row) => row.tokens, tokens),
    each(({ idleSilent }) => idleSilent),
    each(({ holderSilent }) => holderSilent),
    each(({ messagesLeftOut }) => messagesLeftOut),
    each(({ messagesSwapped }) => messagesSwapped),
  ];
});
const seeds = [...new Set(rows.map(({ seed }) => String(seed)))].join(", ");
console.log(
  table(
    [
      `seeds ${seeds}`,
      "right, %",
      "tokens",
      "idle silent, %",
      "holder silent, %",
      "messages left out, %",
      "swapped, %",
    ],
    baselines,
  ),
);

const [taught, trained] = ["taught", "trained"].map((name) => rows.filter((row) => row.name === name));
const families = [...new Set((trained ?? []).flatMap(({ groups = {} }) => Object.keys(groups)))].toSorted(
  (a, b) => Number(b.startsWith("known")) - Number(a.startsWith("known")) || (a < b ? -1 : 1),
);
const of = (some: readonly Row[] = [], family: string, pick: (figures: Figures) => number | null | undefined): string =>
  shown(
    some.map(({ groups = {} }) => (groups[family] ? pick(groups[family]) : null)),
    percent,
  );
console.log(
  `\n${table(
    [
      "family",
      "problems a seed",
      "taught: right, %",
      "trained: right, %",
      "taught: idle silent, %",
      "trained: idle silent, %",
      "trained: holder silent, %",
    ],
    families.map((family) => [
      family,
      String(trained?.[0]?.groups?.[family]?.problems ?? ""),
      of(taught, family, ({ accuracy }) => accuracy),
      of(trained, family, ({ accuracy }) => accuracy),
      of(taught, family, ({ idleSilent }) => idleSilent),
      of(trained, family, ({ idleSilent }) => idleSilent),
      of(trained, family, ({ holderSilent }) => holderSilent),
    ]),
  )}`,
);
