import { expect, test } from "vitest";
import { readText, repositoryFiles } from "./workspace.ts";

const sources = repositoryFiles().filter(
  (path) =>
    /^(?:packages|apps)\/[^/]+\/(?:src|assembly)\/.*\.ts$/u.test(path) &&
    !path.endsWith(".test.ts") &&
    (!path.includes("/testing/") || path.includes("/testing/reference/")),
);

// CONTRIBUTING.md lists them: "What one touches to add".
test.each([
  ["a parameter of sampling", /\bminP\b/u, 6],
  ["an option of an objective", /\bminLength\??:|"minLength"|\.minLength\b/u, 7], // one is a keyword of JSON schemas
  ["a metric of a step", /"reward\/std"/u, 3],
])("%s is spelled out in few files", (_, name, most) => {
  const places = sources.filter((path) => name.test(readText(path)));
  expect(places.length).toBeGreaterThan(1);
  expect({ places, isFew: places.length <= most }).toEqual({ places, isFew: true });
});
