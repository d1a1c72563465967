import { expect, test } from "vitest";
import { ownTestOf } from "../../test/project-folder.ts";
import { templateNames } from "./templates.ts";

test.each(templateNames)("%s: its test passes after a short training", async (template) => {
  const said = await ownTestOf(template);
  expect(said).toMatch(/^# pass 10$/mu);
  expect(said).toMatch(/^# fail 0$/mu);
});
