import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { darkColours, lightColours, sizes } from "../packages/core/src/design/tokens.ts";
import { root } from "./workspace.ts";

const styles = [
  ...readdirSync(join(root, "packages/view/web"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".css"))
    .map((file) => `packages/view/web/${file}`),
  "packages/report/src/pages/theme.ts",
  "packages/topologies/src/draw/svg.ts",
  "docs/.vitepress/theme/style.css",
];
const tokens = new Set([...Object.keys(sizes), ...Object.keys(lightColours)]);
const setByScript = new Set(["speaking", "heat", "strength", "tone", "mx", "my", "ax", "ay", "bx", "by"]);
const textOf = (file: string): string => readFileSync(join(root, file), "utf8");

test("both schemes have the same roles", () => {
  expect(Object.keys(darkColours)).toEqual(Object.keys(lightColours));
});

test.each(styles)("%s takes colours, sizes of text and space from the design alone", (file) => {
  const text = textOf(file).replaceAll(/&#|url\(#\w+\)/gu, "");
  expect(text.match(/#[0-9a-f]{3,8}\b/giu) ?? []).toEqual([]);
  expect(text.match(/font(?:-size)?: ?[^;}"]*?\d+(?:\.\d+)?px/gu) ?? []).toEqual([]);
  // Hairlines of 1 and 2 px and the room below a page are no steps of space.
  const spaces = text.match(/(?<![\w-])(?:gap|margin|padding)(?:-[a-z-]+)?: ?[^;}]*/gu) ?? [];
  expect(
    spaces.filter((each) => (each.match(/\d+(?=px)/gu) ?? []).some((px) => ![1, 2, 64].includes(Number(px)))),
  ).toEqual([]);
  const used = [...text.matchAll(/var\(--([\w-]+)/gu)].map(([, name = ""]) => name);
  const unknown = used.filter((name) => !tokens.has(name) && !setByScript.has(name) && !/^(?:vp-|hue$)/u.test(name));
  expect(unknown).toEqual([]);
});

test("every picture of pixels in README and docs has a dark one in its <picture>", () => {
  const pages = ["README.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)].filter((name) =>
    name.endsWith(".md"),
  );
  for (const page of pages) {
    const text = textOf(page);
    const pictures = [...text.matchAll(/<picture>.*?<\/picture>/gsu)].map(([picture]) => picture);
    const outside = pictures.reduce((rest, picture) => rest.replace(picture, ""), text);
    // Drawings hold both schemes in themselves.
    expect(
      [...outside.matchAll(/!\[[^\]]*\]\(([^)]+\.(?:png|webp|gif))\)|<img[^>]+\.(?:png|webp|gif)/gu)],
      page,
    ).toEqual([]);
    const withoutDark = pictures.filter((picture) => {
      const light = /<img[^>]*src="([^"]+)"/u.exec(picture)?.[1] ?? "";
      return light.endsWith(".svg")
        ? !textOf(join("docs/public", basename(light))).includes("prefers-color-scheme:dark")
        : !/prefers-color-scheme: dark\)" srcset="[^"]*-dark\.\w+"/u.test(picture);
    });
    expect(withoutDark, page).toEqual([]);
  }
});
