import packageJson from "../../package.json" with { type: "json" };
import list from "../../assets/commands.json" with { type: "json" };
import type { Terminal } from "../cli/terminal.ts";
import { commandGroups } from "../commands/table.ts";
import { wrapped } from "../cli/wrapped.ts";
import type { CommandList, ListedFlag, ListedWords } from "../completion/command-list.ts";

const { commands, presets } = list as CommandList;

const widest = 100;

export function presetHelp(terminal: Terminal): string {
  const width = Math.max(40, Math.min(widest, terminal.columns));
  const rows = presets.map(({ name, description }): Row => [`preset:${name}`, description]);
  return [terminal.paint("bold", "PRESETS"), "", ...table(rows, width)].join("\n");
}

type Row = readonly [name: string, description: string];

/** Reads the help from `assets/commands.json`, without loading the command. */
export function usageOf(path: readonly string[], terminal: Terminal): string {
  const width = Math.max(40, Math.min(widest, terminal.columns));
  const name = path.join(" ");
  const listedWords = commands.find((command) => command.name === name);
  const flags = listedWords?.flags ?? [];
  const inner = commands.filter((command) => isInside(command, name));
  const isGroup = listedWords === undefined || Object.hasOwn(commandGroups, name);
  const reply = path.length === 0 ? packageJson.description : (listedWords?.description ?? "");
  const title = (text: string): string => terminal.paint("bold", text);
  const usage = [
    `laconic${name === "" ? "" : ` ${name}`}`,
    ...(listedWords ? wordsBehind(listedWords) : []),
    ...(isGroup ? ["COMMAND"] : []),
  ];
  const sections: readonly (readonly [string, readonly Row[]])[] = [
    [
      "ARGUMENTS",
      (listedWords?.arguments ?? []).map((argument) => [
        argument.name,
        `${argument.description}${argument.required ? " (required)" : ""}`,
      ]),
    ],
    ...[...new Set(flags.map(({ group }) => group))].map((group): readonly [string, readonly Row[]] => [
      group.toUpperCase(),
      flags.filter((flag) => flag.group === group).map((flag) => [flagText(flag), flagDescription(flag)]),
    ]),
    ["COMMANDS", inner.map((item) => [item.name.split(" ").at(-1)!, item.description])],
    ["EXAMPLES", (listedWords?.examples ?? []).map((line) => [line, ""])],
  ];
  const lines = [
    ...wrapped(`${reply} (laconic${name === "" ? "" : ` ${name}`} v${packageJson.version})`, width),
    "",
    ...wrapped(`${title("USAGE")} ${usage.join(" ")}`, width),
    ...sections.flatMap(([heading, rows]) =>
      rows.length === 0 ? [] : ["", title(heading), "", ...table(rows, width)],
    ),
    ...(listedWords?.takes === "configuration" ? ["", "laconic help presets lists the presets."] : []),
    ...(inner.length > 0
      ? ["", ...wrapped(`${["laconic", ...path].join(" ")} COMMAND --help shows the help of a command.`, width)]
      : []),
  ];
  return lines.join("\n");
}

function isInside(listedWords: ListedWords, name: string): boolean {
  const words = listedWords.name.split(" ");
  return name === "" ? words.length === 1 : words.length > 1 && words.slice(0, -1).join(" ") === name;
}

function wordsBehind({ arguments: input, flags }: ListedWords): string[] {
  return [
    ...(flags.length + input.length > 0 ? ["[OPTIONS]"] : []),
    ...input.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)),
    ...flags.filter(({ required }) => required).map(flagText),
  ];
}

function flagText({ name, alias = [], valued, values, hint }: ListedFlag): string {
  const what = hint ?? (values.length > 0 ? values.join("|") : name);
  return `${[...alias.map((alia) => `-${alia}`), `--${name}`].join(", ")}${valued ? `=<${what}>` : ""}`;
}

function flagDescription({ description, default: usual, required }: ListedFlag): string {
  return `${description}${required ? " (required)" : ""}${usual === undefined ? "" : ` (default: ${usual})`}`;
}

function table(rows: readonly Row[], width: number): string[] {
  const column = Math.min(Math.max(...rows.map(([name]) => name.length)), Math.floor(width * 0.4));
  const indent = " ".repeat(column + 4);
  return rows.flatMap(([name, description]) => {
    const [first = "", ...others] = wrapped(description, width - indent.length);
    const behind = others.map((line) => indent + line);
    if (name.length > column) return [...brokenName(name, width), ...(first === "" ? [] : [indent + first]), ...behind];
    return [`  ${name.padEnd(column)}  ${first}`.trimEnd(), ...behind];
  });
}

function brokenName(name: string, width: number): string[] {
  return wrapped(name.replaceAll("|", "| "), width - 6).map(
    (line, i) => `${i === 0 ? "  " : "      "}${line.replaceAll("| ", "|")}`,
  );
}
