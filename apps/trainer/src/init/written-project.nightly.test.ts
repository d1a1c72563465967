import { expect, test } from "vitest";
import { ownTestOf } from "../../test/project-folder.ts";
import { templateNames } from "./templates.ts";

test.each(templateNames)("%s: its test passes after a short training", async (template) => {
  const reply = await ownTestOf(template);
  expect(reply).toMatch(/^# pass 10$/mu);
  expect(reply).toMatch(/^# fail 0$/mu);
});
