import type { ColumnsBlock } from "../../../src/columns-block.ts";

interface StoredRun {
  /** Steps from a row to the next. */
  readonly every: number;
  steps: Float64Array;
  readonly values: Map<string, Float32Array>;
  /** Of the last asking, by column: what is older goes first when there is no room. */
  readonly asked: Map<string, number>;
}

/** Columns of runs, in about `room` bytes; what nobody drew for longest leaves first, the metric that just came never. */
export interface ColumnStore {
  /** Rows that are held of a column, from which on the server is asked. */
  rowsOf(run: string, name: string): number;
  /** Appends rows of a body of `GET /api/runs/{id}/columns`. @throws Error when they do not continue what is held */
  append(run: string, name: string, block: ColumnsBlock): void;
  column(run: string, name: string): { readonly steps: Float64Array; readonly values: Float32Array } | null;
  /** Whether rows of the block are as far apart as those that are held, or none are. */
  isAlike(run: string, block: ColumnsBlock): boolean;
  drop(run: string): void;
  bytes(): number;
}

export function columnStore(room: number): ColumnStore {
  const runs = new Map<string, StoredRun>();
  let asked = 0;
  const bytes = (): number => {
    let total = 0;
    for (const { steps, values } of runs.values()) {
      total += steps.byteLength;
      for (const column of values.values()) total += column.byteLength;
    }
    return total;
  };
  const makeRoom = (spared: string): void => {
    let left = bytes() - room;
    if (left <= 0) return;
    const all = [...runs.values()].flatMap((run) => [...run.asked].map(([name, when]) => ({ run, name, when })));
    for (const { run, name } of all.filter((each) => each.name !== spared).toSorted((a, b) => a.when - b.when)) {
      if (left <= 0) return;
      left -= run.values.get(name)?.byteLength ?? 0;
      run.values.delete(name);
      run.asked.delete(name);
    }
  };
  return {
    rowsOf: (run, name) => runs.get(run)?.values.get(name)?.length ?? 0,
    isAlike: (run, { every }) => (runs.get(run)?.every ?? every) === every,
    append(run, name, { from, every, columns }) {
      const stored = runs.get(run) ?? { every, steps: new Float64Array(), values: new Map(), asked: new Map() };
      const [steps, values] = [columns.get("step"), columns.get(name)];
      if (steps === undefined || values === undefined) throw new Error(`The columns lack ${name}`);
      const held = stored.values.get(name) ?? new Float32Array();
      if (from !== held.length) throw new Error(`Rows from ${from} on do not continue ${held.length}`);
      const grown = new Float32Array(from + values.length);
      grown.set(held);
      grown.set(values, from);
      stored.values.set(name, grown);
      if (grown.length > stored.steps.length) {
        const longer = new Float64Array(grown.length);
        longer.set(stored.steps.subarray(0, from));
        longer.set(steps, from);
        stored.steps = longer;
      }
      stored.asked.set(name, asked);
      runs.set(run, stored);
      makeRoom(name);
    },
    column(run, name) {
      const stored = runs.get(run);
      const values = stored?.values.get(name);
      if (stored === undefined || values === undefined) return null;
      stored.asked.set(name, ++asked);
      return { steps: stored.steps.subarray(0, values.length), values };
    },
    drop: (run) => void runs.delete(run),
    bytes,
  };
}
