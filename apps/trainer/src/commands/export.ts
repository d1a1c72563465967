import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { LaconicError } from "@laconic/core";
import type { CommandDef } from "citty";
import { command, type ExitCode } from "../cli/command.ts";
import { csvWriter, readRunSummary, runTable, tableNames, type CsvWriter, type RunTable } from "@laconic/report/runs";
import { jsonFlag, type CommandContext } from "./common.ts";

export function exportCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "export",
      args: {
        run: { type: "positional", required: true, description: "Run directory" },
        csv: { type: "boolean", description: "As CSV with a header, the one form that there is", default: true },
        table: { type: "enum", description: "Only this one", options: [...tableNames] },
        out: {
          type: "string",
          description:
            "Folder to write TABLE.csv to; csv in the run directory by default; - is standard output, for one --table",
          valueHint: "folder",
        },
        ...jsonFlag,
      },
      run: async ({ run, csv, table, out, json }) => {
        if (!csv) throw new LaconicError("config_invalid", "--no-csv: there is no other form yet", { flag: "csv" });
        const directory = resolve(run);
        if (!(await readRunSummary(directory)))
          throw new LaconicError("run_missing", `${directory} holds no run`, { directory });
        const writer = csvWriter();
        const sayDefused = (): void => {
          if (writer.defused > 0)
            terminal.note(
              `${writer.defused} texts that a spreadsheet would run as a formula begin with an apostrophe (') in the CSV`,
            );
        };
        if (out === "-") {
          if (table === undefined || json)
            throw new LaconicError(
              "config_invalid",
              table === undefined
                ? `--out - takes one table: --table ${tableNames.join("|")}`
                : "--out - prints CSV; remove --json",
              { flag: "out" },
            );
          for await (const line of linesOf(await runTable(directory, table), writer)) terminal.result(line);
          sayDefused();
          return 0;
        }
        const folder = out === undefined ? join(directory, "csv") : resolve(out);
        await mkdir(folder, { recursive: true });
        const files: { file: string; rows: number }[] = [];
        for (const name of table === undefined ? tableNames : [table]) {
          const file = join(folder, `${name}.csv`);
          files.push({ file, rows: await writeTable(await runTable(directory, name), file, writer) });
        }
        terminal.result(
          json
            ? JSON.stringify({ folder, files, defused: writer.defused })
            : files.map(({ file, rows }) => `${file}: ${rows} rows`).join("\n"),
        );
        sayDefused();
        return 0;
      },
    },
    exit,
  );
}

async function* linesOf({ columns, rows }: RunTable, writer: CsvWriter): AsyncGenerator<string> {
  yield writer.line(columns);
  for await (const cells of rows()) yield writer.line(cells);
}

/** @returns how many rows there are behind the header */
async function writeTable(table: RunTable, file: string, writer: CsvWriter): Promise<number> {
  let rows = -1;
  const lines = async function* (): AsyncGenerator<string> {
    for await (const line of linesOf(table, writer)) {
      rows += 1;
      yield `${line}\n`;
    }
  };
  await pipeline(Readable.from(lines()), createWriteStream(file));
  return rows;
}
