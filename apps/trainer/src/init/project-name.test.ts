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
])("the folder %s makes the package %s", (folder, name) => {
  expect(nameOf(folder)).toBe(name);
});

test("whatever a folder is called, npm takes the name", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (folder) => {
      expect(nameProblem(nameOf(folder))).toBeNull();
    }),
    { seed: 1 },
  );
});

test.each(["@me/team", "team.2", "a~b"])("%s is a name", (name) => {
  expect(nameProblem(name)).toBeNull();
});

test.each([
  ["My Team", "lower-case"],
  [".hidden", "behind a letter"],
  ["", "behind a letter"],
  ["../up", "lower-case"],
  ['"}', "lower-case"],
  ["laconic", "another package's"],
  ["@laconic/core", "another package's"],
  ["a".repeat(215), "215 characters"],
])("%s is none, and it is said why", (name, why) => {
  expect(nameProblem(name)).toContain(why);
});
