import * as worlds from "@laconic/tasks/presets";
import { expect, test } from "vitest";
import { presetConfig, presetNames } from "./load-config.ts";

test("every preset of the package has a name, and every name has one preset", () => {
  const named = presetNames.map((name) => presetConfig(name));
  const exported = Object.entries<worlds.Preset>({ ...worlds });
  const isNamed = (preset: worlds.Preset): boolean => named.some(({ train }) => train === preset.train);
  expect(exported.filter(([, preset]) => !isNamed(preset)).map(([name]) => name)).toEqual([]);
  expect(exported).toHaveLength(presetNames.length);
});
