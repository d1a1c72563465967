import { join, resolve } from "node:path";
import { LaconicError } from "@laconic/core";
import { command, type Command } from "../cli/command.ts";
import { printResult, type Terminal } from "../cli/terminal.ts";
import { CsvWriter, exportRun, runTables, tableNames } from "@laconic/view/runs";
import { jsonFlag } from "../cli/flags.ts";

export const exportCommand: Command = command({
  description: "Write a run's metrics, evaluations, episodes and turns as CSV",
  args: {
    run: { type: "positional", required: true, description: "Run directory" },
    csv: { type: "boolean", description: "As CSV with a header, the only form" },
    table: { type: "enum", description: "Only this one", options: [...tableNames] },
    out: {
      type: "string",
      description:
        "Folder to write TABLE.csv to; csv in the run directory by default; - is standard output, for one --table",
      valueHint: "folder",
    },
    ...jsonFlag,
  },
  run: async ({ run, csv, table, out, json }, { terminal }) => {
    if (csv === false) throw new LaconicError("config_invalid", "--no-csv: CSV is the only form", { flag: "csv" });
    const directory = resolve(run);
    if (out === "-") {
      if (table === undefined || json)
        throw new LaconicError(
          "config_invalid",
          table === undefined
            ? `--out - takes one table: --table ${tableNames.join("|")}`
            : "--out - prints CSV; remove --json",
          { flag: "out" },
        );
      const writer = new CsvWriter();
      const tables = await runTables(directory);
      for await (const line of writer.lines(await tables(table))) terminal.result(line);
      noteDefused(writer.defused, terminal);
      return;
    }
    const folder = out === undefined ? join(directory, "csv") : resolve(out);
    const written = await exportRun(directory, folder, table === undefined ? tableNames : [table]);
    printResult(terminal, json, written, () =>
      written.files.map(({ file, rows }) => `${file}: ${rows} rows`).join("\n"),
    );
    noteDefused(written.defused, terminal);
  },
});

function noteDefused(count: number, terminal: Terminal): void {
  if (count === 0) return;
  terminal.note(`${count} texts that a spreadsheet would run as a formula begin with an apostrophe (') in the CSV`);
}
