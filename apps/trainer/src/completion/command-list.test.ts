import { expect, test } from "vitest";
import { listCommands } from "../../test/list-commands.ts";

// Written by `npx vitest run apps/trainer/src/completion -u`; `laconic completion` reads it.
test("assets/commands.json matches the commands", async () => {
  const list = await listCommands();
  await expect(`${JSON.stringify(list, null, 1)}\n`).toMatchFileSnapshot("../../assets/commands.json");
});
