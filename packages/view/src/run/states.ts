import { isRecord, type UnknownRecord } from "@laconic/core";
import type { Table } from "@laconic/evaluation";
import { formatCells, formatNumber, formatPercent } from "@laconic/core/text";

interface Side {
  readonly accuracy: number;
  readonly tokens: number;
  readonly problems: number;
}

/** How the team did at one point of what it went through. */
export interface TeamState {
  readonly said: string;
  /** Of training; null before the warm start of a model that had some. */
  readonly step: number | null;
  readonly all: Side;
  /** By kind of problems. */
  readonly groups: Readonly<Record<string, Side>>;
}

/**
 * The states of a team from what a run's folder holds: two, or three with a warm start.
 * @param rows - of `evaluations.jsonl`
 * @param warmStart - of `warm-start.json`
 */
export function statesIn(rows: readonly UnknownRecord[], warmStart: UnknownRecord): TeamState[] {
  const [first, last] = [rows[0], rows.at(-1)];
  const { said, before } = warmStart;
  const taught = typeof said === "string" && isRecord(before) ? { said, before } : null;
  return [
    ...(taught ? [stateOf(`the model before ${taught.said}`, null, taught.before)] : []),
    ...(first ? [stateOf(taught ? `after ${taught.said}` : "before training", Number(first["step"]), first)] : []),
    ...(last && last !== first ? [stateOf(`after training`, Number(last["step"]), last)] : []),
  ];
}

/** The team before the warm start; null where there were none. */
export function beforeWarmStart(states: readonly TeamState[]): Side | null {
  return states.find(({ step }) => step === null)?.all ?? null;
}

/** A row for each state, and two columns for each kind of problems. */
export function statesTable(states: readonly TeamState[]): Table {
  const kinds = [...new Set(states.flatMap(({ groups }) => Object.keys(groups)))];
  const sides = ({ all, groups }: TeamState): (Side | undefined)[] => [all, ...kinds.map((kind) => groups[kind])];
  const counts = sides(states.at(-1) as TeamState).map((side) => side?.problems ?? 0);
  return {
    title: "The team on validation problems",
    columns: [
      "",
      "step",
      ...["all", ...kinds].flatMap((kind, i) => [`${kind}: right of ${counts[i]}`, `${kind}: tokens`]),
    ],
    rows: formatCells(
      states.map((state) => [
        state.said,
        state.step === null ? "-" : formatNumber(state.step),
        ...sides(state).flatMap((side) => (side ? [formatPercent(side.accuracy), side.tokens] : ["-", "-"])),
      ]),
    ),
  };
}

function stateOf(said: string, step: number | null, row: UnknownRecord): TeamState {
  const groups = Object.entries(isRecord(row["groups"]) ? row["groups"] : {});
  return {
    said,
    step,
    all: sideOf(row),
    groups: Object.fromEntries(groups.flatMap(([name, own]) => (isRecord(own) ? [[name, sideOf(own)]] : []))),
  };
}

function sideOf(row: UnknownRecord): Side {
  return { accuracy: Number(row["accuracy"]), tokens: Number(row["tokens"]), problems: Number(row["problems"] ?? 0) };
}
