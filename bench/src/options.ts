import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { parseArgs, type ParseArgsConfig } from "node:util";

/**
 * Parses the script's options. `--help` prints its head comment. An unknown option or an invalid number (except `seed`,
 * any text) prints one line and exits with 2.
 */
export function readOptions<const Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  const script = process.argv[1]!;
  if (process.argv.includes("--help")) {
    process.stdout.write([headOf(script), ...linesOf(config)].join("\n"));
    process.exit(0);
  }
  try {
    const parsed = parseArgs(config);
    const values: Readonly<Record<string, unknown>> = parsed.values;
    for (const [name, { default: usual }] of Object.entries(config.options ?? {}))
      if (name !== "seed" && isNumber(usual) && !isNumber(values[name]))
        throw new TypeError(`--${name} ${String(values[name])}: expected a number, such as ${usual}`);
    return parsed;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    process.stderr.write(`${basename(script)}: ${error.message.split("\n", 1)[0]}; see --help\n`);
    process.exit(2);
  }
}

function isNumber(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value));
}

function headOf(script: string): string {
  const comment = /^(?:\/\*\*.*?\*\/|(?:\/\/[^\n]*\n)+)/su.exec(readFileSync(script, "utf8"))?.[0] ?? "";
  return `${comment.replaceAll(/^(?:\/\*\*|\/\/| \*\/| \*) ?/gmu, "").trim()}\n`;
}

function linesOf({ options = {} }: ParseArgsConfig): string[] {
  const lines = Object.entries(options).map(([name, { type, multiple, default: usual }]) => {
    const kind = isNumber(usual) && name !== "seed" ? "number" : "text";
    const value = type === "string" ? ` <${kind}>${multiple ? ", any number of times" : ""}` : "";
    return `  --${name}${value}${usual === undefined || usual === false ? "" : ` (default: ${String(usual) || "none"})`}`;
  });
  return lines.length === 0 ? [] : ["Options:", ...lines, ""];
}
