import { expect, test } from "vitest";
import { parseAppConfig } from "./app-config.ts";
import { formerNamesIn, withNamesOf } from "./former-names.ts";
import { applyOverrides } from "./overrides.ts";

const task = { name: "story-tellers" };

test("a setting is read under its old name, in a file and as a word, and said once", () => {
  const written = { task, lessons: { name: "copying", steps: 3 } };
  const current = parseAppConfig({ task, warmStart: { name: "copying", steps: 3 } });
  expect(parseAppConfig(written)).toEqual(current);
  expect(parseAppConfig(applyOverrides({ task, warmStart: { name: "copying" } }, ["lessons.steps=3"]))).toEqual(
    current,
  );
  expect(formerNamesIn(written, ["lessons.steps=3", "train.steps=1"])).toEqual([
    "lessons is called warmStart now; the old name goes with the next release",
  ]);
  expect(() => parseAppConfig({ ...written, warmStart: null })).toThrow("lessons: is called warmStart now");
  expect(() => applyOverrides({ task }, ["lessons=null", "warmStart=null"])).toThrow(
    "lessons: is called warmStart now",
  );
});

test("a run that goes on keeps the names of its folder", () => {
  const config = { model: "shipped", warmStart: null };
  expect(withNamesOf({ lessons: null }, config)).toEqual({ model: "shipped", lessons: null });
  expect(withNamesOf(null, config)).toEqual(config);
});
