import { join, resolve } from "node:path";
import {
  compareRuns,
  comparisonText,
  csvLines,
  exportRun,
  listRuns,
  runLines,
  runTables,
  tableNames,
} from "@laconic/view/runs";
import {
  choiceFlag,
  flagError,
  grouped,
  optionalPositional,
  optionalToggle,
  positional,
  textFlag,
} from "../cli/arguments.ts";
import { command, type Command } from "../cli/command.ts";
import { jsonFlag } from "../cli/flags.ts";
import { printResult, visibleJson, type Terminal } from "../cli/terminal.ts";

export const lsCommand: Command = command({
  description: "List a folder's runs: state, steps, accuracy, tokens, time, device, warnings",
  examples: ["laconic view ls runs"],
  args: { folder: optionalPositional("Folder with runs (default: this folder)"), ...jsonFlag },
  run: async (args, { terminal }) => {
    const folder = resolve(args.folder ?? ".");
    const runs = await listRuns(folder);
    if (args.json) {
      const listed = runs.map((run) => ({ ...run, config: undefined, changes: undefined, warnedAt: undefined }));
      return terminal.result(visibleJson({ folder, runs: listed }));
    }
    if (runs.length === 0) return terminal.note(`no run in ${folder}; train one with: laconic quickstart`);
    for (const line of runLines(runs, folder)) terminal.result(line);
    for (const { folder: path, state, reason } of runs)
      if (reason !== null) terminal.note(`${state}: ${path}: ${reason}`);
  },
});

export const compareCommand: Command = command({
  description: "Compare runs: settings, and figures with intervals over seeds",
  examples: ["laconic view compare runs/a runs/b"],
  args: {
    first: positional("Run folder to compare with", "RUN"),
    second: positional("Another run folder; more may follow", "OTHER"),
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
  examples: ["laconic view export runs/quickstart --table metrics --out -"],
  args: {
    run: positional("Run folder"),
    ...grouped("Output", {
      csv: optionalToggle("CSV with a header, the only format"),
      table: choiceFlag("Single table (default: all)", tableNames),
      out: textFlag("Folder for TABLE.csv (default: csv in the run folder); - prints one --table", "folder"),
    }),
    ...jsonFlag,
  },
  run: async ({ run, csv, table, out, json }, { terminal }) => {
    if (csv === false) throw flagError("no-csv", "CSV is the only format; remove it");
    const directory = resolve(run);
    if (out === "-") {
      if (table === undefined) throw flagError("out", `- prints one table; add --table ${tableNames.join("|")}`);
      if (json) throw flagError("out", "- prints CSV; remove --json");
      let defused = 0;
      const tables = await runTables(directory);
      for await (const line of csvLines(await tables(table), () => (defused += 1))) terminal.result(line);
      return noteDefused(defused, terminal);
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
