import { expect, test } from "vitest";
import list from "../../assets/commands.json" with { type: "json" };
import { recordingTerminal } from "../../test/recording-terminal.ts";
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
  for (const { name, description, arguments: input, flags, takes, examples } of list.commands) {
    const reply = words(name.split(" "));
    expect(reply).toContain(description);
    for (const item of input) expect(reply).toContain(`${item.name} ${item.description}`);
    for (const example of examples) expect(reply).toContain(example);
    for (const flag of flags) {
      expect(reply).toContain(`--${flag.name}`);
      expect(reply).toContain(flag.description);
      expect(reply).toContain("default" in flag ? `(default: ${flag.default})` : flag.name);
    }
    expect(reply.includes("laconic help presets lists")).toBe(takes === "configuration");
  }
  for (const preset of list.presets) expect(presetHelp(terminal)).toContain(`preset:${preset.name}`);
});
