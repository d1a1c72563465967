import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { darkColours, lightColours, sizes } from "../packages/core/src/design/tokens.ts";
import { root } from "./workspace.ts";

const styles = [
  ...readdirSync(join(root, "packages/view/web"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".css"))
    .map((file) => `packages/view/web/${file}`),
  "packages/topologies/src/draw-topology.ts",
  "docs/.vitepress/theme/style.css",
];
const tokens = new Set([...Object.keys(sizes), ...Object.keys(lightColours)]);
const setByScript = new Set(["speaking", "heat", "strength", "tone", "ground", "mx", "my", "ax", "ay", "bx", "by"]);
const textOf = (file: string): string => readFileSync(join(root, file), "utf8");

test("both colour schemes have equal roles", () => {
  expect(Object.keys(darkColours)).toEqual(Object.keys(lightColours));
});

test.each(styles)("%s uses only the design's colours, text sizes and spacing", (file) => {
  const text = textOf(file).replaceAll(/&#|url\(#\w+\)/gu, "");
  expect(text.match(/#[0-9a-f]{3,8}\b/giu) ?? []).toEqual([]);
  expect(text.match(/font(?:-size)?: ?[^;}"]*?\d+(?:\.\d+)?px/gu) ?? []).toEqual([]);
  // Hairlines of 1 and 2 px and the room below a page are no steps of space.
  const spaces = text.match(/(?<![\w-])(?:gap|margin|padding)(?:-[a-z-]+)?: ?[^;}]*/gu) ?? [];
  expect(
    spaces.filter((space) => (space.match(/\d+(?=px)/gu) ?? []).some((px) => ![1, 2, 64].includes(Number(px)))),
  ).toEqual([]);
  const used = [...text.matchAll(/var\(--([\w-]+)/gu)].map(([, name = ""]) => name);
  const unknown = used.filter((name) => !tokens.has(name) && !setByScript.has(name) && !/^(?:vp-|hue$)/u.test(name));
  expect(unknown).toEqual([]);
});
