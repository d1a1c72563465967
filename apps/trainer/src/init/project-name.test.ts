import fc from "fast-check";
import { expect, test } from "vitest";
import { nameOf, nameProblem } from "../commands/init.ts";

test.each([
  ["my-team", "my-team"],
  ["work/My Team!", "my-team"],
  [".hidden", "hidden"],
  ["Überträger", "ubertrager"],
  ["日本", "laconic-team"],
  ["node_modules", "node_modules-team"],
  ["laconic", "laconic-team"],
  ["a".repeat(300), "a".repeat(209)],
  ["x/", "x"],
])("the folder %s gives the package name %s", (folder, name) => {
  expect(nameOf(folder)).toBe(name);
});

test("every folder name gives a valid npm name", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (folder) => {
      expect(nameProblem(nameOf(folder))).toBeNull();
    }),
    { seed: 1 },
  );
});

test.each(["@me/team", "team.2", "a~b"])("accepts the name %s", (name) => {
  expect(nameProblem(name)).toBeNull();
});

test.each([
  ["My Team", "lower-case"],
  [".hidden", "after a letter"],
  ["", "after a letter"],
  ["../up", "lower-case"],
  ['"}', "lower-case"],
  ["laconic", "it belongs to another package"],
  ["@laconic/core", "it belongs to another package"],
  ["a".repeat(215), "215 characters"],
])("rejects the name %s with a reason", (name, why) => {
  expect(nameProblem(name)).toContain(why);
});
