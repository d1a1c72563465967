import { expect, test } from "vitest";
import list from "../../assets/commands.json" with { type: "json" };
import { recordingTerminal } from "../cli/recording-terminal.ts";
import { commandTable } from "../commands/table.ts";
import { innerNames } from "./find-command.ts";
import { presetHelp, usageOf } from "./usage.ts";

const paths = [[], ...list.commands.map(({ name }) => name.split(" "))];

test.each([40, 80, 100, 240])("help is at most %i columns wide, and at most 100", (columns) => {
  const terminal = { ...recordingTerminal(), columns };
  for (const path of paths)
    for (const line of usageOf(path, terminal).split("\n")) {
      // A word alone may be longer than a narrow line.
      const isOneWord = !line.trim().includes(" ");
      expect([path, line, isOneWord || line.length <= Math.min(100, columns)]).toEqual([path, line, true]);
    }
});

test("help names every command, argument, flag, choice, default, example and preset", () => {
  const terminal = { ...recordingTerminal(), columns: 100 };
  const words = (path: readonly string[]): string => usageOf(path, terminal).replaceAll(/\s+/gu, " ");
  expect(list.commands.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(commandTable)));
  for (const name of innerNames("")) expect(words([])).toContain(` ${name} `);
  for (const { name, description, arguments: given, flags, takes, examples } of list.commands) {
    const said = words(name.split(" "));
    expect(said).toContain(description);
    for (const each of given) expect(said).toContain(`${each.name} ${each.description}`);
    for (const example of examples) expect(said).toContain(example);
    for (const flag of flags) {
      expect(said).toContain(`--${flag.name}`);
      expect(said).toContain(flag.description);
      expect(said).toContain("default" in flag ? `(default: ${flag.default})` : flag.name);
    }
    expect(said.includes("laconic help presets lists")).toBe(takes === "configuration");
  }
  for (const preset of list.presets) expect(presetHelp(terminal)).toContain(`preset:${preset.name}`);
});
