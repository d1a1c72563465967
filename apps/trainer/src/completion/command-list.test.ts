import { expect, test } from "vitest";
import { listCommands } from "../../test/list-commands.ts";
import { findCommand, loadCommand } from "../dispatch/find-command.ts";
import { parseWords } from "../cli/command.ts";
import { recordingTerminal } from "../../test/recording-terminal.ts";
import { commandTable } from "../commands/table.ts";

// Written by `npx vitest run apps/trainer/src/completion -u`; `laconic completion` reads it.
test("assets/commands.json matches the commands", async () => {
  const list = await listCommands();
  await expect(`${JSON.stringify(list, null, 1)}\n`).toMatchFileSnapshot("../../assets/commands.json");
});

test.each(Object.keys(commandTable))(
  "%s: every flag has a group and a short description, every example parses",
  async (name) => {
    const context = { terminal: recordingTerminal() };
    const { args, examples } = await loadCommand({ path: name.split(" ") }, context);
    for (const [flag, { kind, group, description }] of Object.entries(args)) {
      expect([flag, kind === "positional" || group !== undefined]).toEqual([flag, true]);
      expect([flag, kind === "positional" || (description.split(":")[0]?.split(" ") ?? []).length <= 14]).toEqual([
        flag,
        true,
      ]);
    }
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      const foundCommand = await findCommand(example.split(" ").slice(1));
      expect([example, foundCommand.problem, foundCommand.path.join(" ")]).toEqual([example, null, name]);
      await parseWords(name, await loadCommand(foundCommand, context), foundCommand.rest);
    }
  },
);

test("every preset has a line of help", async () => {
  const { presets } = await listCommands();
  expect(presets.filter(({ description }) => description === "")).toEqual([]);
});
