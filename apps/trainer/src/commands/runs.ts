import { join, resolve } from "node:path";
import { LaconicError } from "@laconic/core";
import {
  compareRuns,
  comparisonText,
  CsvWriter,
  exportRun,
  listRuns,
  printable,
  runLines,
  runTables,
  tableNames,
} from "@laconic/view/runs";
import { choiceFlag, optionalPositional, optionalToggle, positional, textFlag } from "../cli/arguments.ts";
import { command, type Command } from "../cli/command.ts";
import { jsonFlag } from "../cli/flags.ts";
import { printResult, visibleJson, type Terminal } from "../cli/terminal.ts";

export const lsCommand: Command = command({
  description: "List the runs of a folder: state, steps, accuracy, tokens, time, device, warnings",
  args: { folder: optionalPositional("Where to look; this folder by default"), ...jsonFlag },
  run: async (args, { terminal }) => {
    const folder = resolve(args.folder ?? ".");
    const runs = await listRuns(folder);
    if (args.json) {
      const listed = runs.map((run) => ({ ...run, config: undefined, changes: undefined, warnedAt: undefined }));
      return terminal.result(visibleJson({ folder, runs: listed }));
    }
    if (runs.length === 0) return terminal.note(`no run in ${folder}; train one with: laconic quickstart`);
    const columns = terminal.interactive ? terminal.columns : Infinity;
    for (const line of runLines(runs, folder, columns)) terminal.result(line);
    for (const { folder: path, state, reason } of runs)
      if (reason !== null) terminal.note(printable(`${state}: ${path}: ${reason}`));
  },
});

export const compareCommand: Command = command({
  description: "What differs between runs: settings, and figures with their intervals, seeds together",
  args: {
    first: positional("Run directory; others are compared with it"),
    second: positional("Another one, and more behind it"),
    ...jsonFlag,
  },
  rest: "words",
  run: async ({ first, second, json }, { terminal, rest }) => {
    const comparison = await compareRuns([first, second, ...rest].map((folder) => resolve(folder)));
    printResult(terminal, json, comparison, comparisonText);
  },
});

export const exportCommand: Command = command({
  description: "Write a run's metrics, evaluations, episodes and turns as CSV",
  args: {
    run: positional("Run directory"),
    csv: optionalToggle("As CSV with a header, the only form"),
    table: choiceFlag("Only this one", tableNames),
    out: textFlag(
      "Folder to write TABLE.csv to; csv in the run directory by default; - is standard output, for one --table",
      "folder",
    ),
    ...jsonFlag,
  },
  run: async ({ run, csv, table, out, json }, { terminal }) => {
    if (csv === false) throw new LaconicError("config_invalid", "--no-csv: CSV is the only form", { flag: "csv" });
    const directory = resolve(run);
    if (out === "-") {
      if (table === undefined)
        throw new LaconicError("config_invalid", `--out - takes one table: --table ${tableNames.join("|")}`, {
          flag: "out",
        });
      if (json) throw new LaconicError("config_invalid", "--out - prints CSV; remove --json", { flag: "out" });
      const writer = new CsvWriter();
      const tables = await runTables(directory);
      for await (const line of writer.lines(await tables(table))) terminal.result(line);
      return noteDefused(writer.defused, terminal);
    }
    const folder = out === undefined ? join(directory, "csv") : resolve(out);
    const written = await exportRun(directory, folder, table === undefined ? tableNames : [table]);
    printResult(terminal, json, written, ({ files }) =>
      files.map(({ file, rows }) => `${file}: ${rows} rows`).join("\n"),
    );
    noteDefused(written.defused, terminal);
  },
});

function noteDefused(count: number, terminal: Terminal): void {
  if (count === 0) return;
  terminal.note(`${count} texts that a spreadsheet would run as a formula begin with an apostrophe (') in the CSV`);
}
