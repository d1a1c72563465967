import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { print } from "../measure.ts";

export type ReportRow = Readonly<Record<string, unknown>> & { readonly section: string };

export class Report {
  readonly #results: ReportRow[] = [];

  note(section: string, result: Record<string, unknown>): void {
    this.#results.push({ section, ...result });
    print(section, result);
  }

  /** Records failures, so that later sections still run. */
  async attempt(section: string, body: () => Promise<void> | void): Promise<void> {
    const start = performance.now();
    try {
      await body();
    } catch (error) {
      this.note(section, { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
    this.note("time", { of: section, seconds: (performance.now() - start) / 1000 });
  }

  write(folder: string, title: string): void {
    const name = `gpu-${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}`;
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(this.#results, null, 2)}\n`);
    const head = [`# ${title}`, "", "`npm run gpu:check` wrote this page and its JSON file.", ""];
    writeFileSync(join(folder, `${name}.md`), [...head, ...resultTable(this.#results), ""].join("\n"));
    print("written", { json: join(folder, `${name}.json`) });
  }
}

export function resultTable(rows: readonly ReportRow[]): string[] {
  const lines = rows.map(({ section, ...facts }) => {
    const cells = Object.entries(facts).map(([key, value]) => `${key} ${shown(value)}`);
    return `| ${section} | ${cells.join(", ").replaceAll("|", "\\|").replaceAll("\n", " ")} |`;
  });
  return ["| section | result |", "| --- | --- |", ...lines];
}

export function shown(value: unknown): string {
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : value.toPrecision(4);
  return typeof value === "string" ? value : JSON.stringify(value);
}
