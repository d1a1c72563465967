import { wilsonInterval } from "@laconic/core";
import type { BenchRow, BenchTable } from "../protocol.ts";
import { RowFile, rowOf as objectIn } from "@laconic/trainer/reading";
import type { RunPlace } from "./run-place.ts";

/** What the samples of a method on a benchmark have come to. */
interface Sums {
  readonly benchmark: string;
  readonly method: string;
  readonly problems: Set<string>;
  readonly repeats: Set<number>;
  scored: number;
  right: number;
  tokens: number;
}

/** A bench's table, from its samples as they are written; the last of a sample that stands twice counts. */
export class BenchReader {
  readonly id: string;
  readonly name: string;
  readonly #file: RowFile;
  readonly #samples = new Map<string, Sample>();

  constructor(id: string, name: string, place: RunPlace) {
    [this.id, this.name] = [id, name];
    this.#file = new RowFile(place, "samples.jsonl");
  }

  /** @returns whether there was anything new */
  readNew(): Promise<boolean> {
    return this.#file.readNew({
      reset: () => this.#samples.clear(),
      row: (bytes) => {
        const sample = sampleIn(bytes);
        if (sample) this.#samples.set(sample.key, sample);
      },
    });
  }

  table(): BenchTable {
    const groups = new Map<string, Sums>();
    for (const { benchmark, method, problem, repeat, isScored, isRight, tokens } of this.#samples.values()) {
      const key = JSON.stringify([benchmark, method]);
      const sums: Sums = groups.get(key) ?? {
        benchmark,
        method,
        problems: new Set(),
        repeats: new Set(),
        scored: 0,
        right: 0,
        tokens: 0,
      };
      groups.set(key, sums);
      sums.problems.add(problem);
      sums.repeats.add(repeat);
      if (!isScored) continue;
      sums.scored += 1;
      sums.tokens += tokens;
      if (isRight) sums.right += 1;
    }
    return { id: this.id, name: this.name, columns, rows: [...groups.values()].map((sums) => rowOf(sums)) };
  }
}

const columns: readonly string[] = ["method", "benchmark", "questions", "seeds", "accuracy", "interval", "tokens"];

function rowOf({ method, benchmark, problems, repeats, scored, right, tokens }: Sums): BenchRow {
  return {
    method,
    benchmark,
    questions: problems.size,
    seeds: repeats.size,
    accuracy: scored === 0 ? Number.NaN : right / scored,
    interval: wilsonInterval(right, scored),
    tokens: scored === 0 ? Number.NaN : tokens / scored,
  };
}

interface Sample {
  readonly key: string;
  readonly benchmark: string;
  readonly method: string;
  readonly problem: string;
  readonly repeat: number;
  readonly isScored: boolean;
  readonly isRight: boolean;
  /** Prompt and completion. */
  readonly tokens: number;
}

/** Null for what is no sample. */
function sampleIn(bytes: Uint8Array): Sample | null {
  const row = objectIn(bytes);
  const { benchmark, method, problem, repeat, setting, status, correct, config } = row ?? {};
  if (typeof benchmark !== "string" || typeof method !== "string" || typeof problem !== "string") return null;
  const numbers = [row?.["promptTokens"], row?.["completionTokens"]].map((each) =>
    typeof each === "number" ? each : 0,
  );
  return {
    key: JSON.stringify([benchmark, problem, method, repeat, config]),
    benchmark,
    problem,
    repeat: typeof repeat === "number" ? repeat : 0,
    method: setting === "dealt" ? `${method} (dealt)` : method,
    isScored: status === "scored",
    isRight: correct === true,
    tokens: numbers.reduce((sum, each) => sum + each, 0),
  };
}
