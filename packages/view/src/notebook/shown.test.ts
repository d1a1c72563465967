import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tinyRun } from "@laconic/trainer/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { showComparison, showRun, type Shown } from "./index.ts";
import type { MimeBundle } from "./shown.ts";

let folder = "";
const hostile = `<img src=x onerror=alert(1)>\u202Eevil`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "laconic-notebook-"));
  for (const seed of [1, 2]) await tinyRun({ directory: join(folder, `run-${seed}`), settings: { steps: 2, seed } });
  await appendFile(join(folder, "run-1/warnings.jsonl"), `${JSON.stringify({ step: 1, message: hostile })}\n`);
});
afterAll(() => rm(folder, { recursive: true }));

/** As Deno's kernel asks for it: `Deno.jupyter.$display` is this symbol. */
function bundleOf(shown: Shown): MimeBundle {
  const display = shown[Symbol.for("Jupyter.display")];
  if (display === undefined) throw new Error("a notebook would print the object");
  return display();
}

test("a run is a table, its warnings and the plane as an image, and text for kernels without HTML", async () => {
  const { "text/plain": plain, "text/html": html } = bundleOf(await showRun(join(folder, "run-1")));
  expect(plain).toMatch(/^RUN +STATE +STEPS/u);
  expect(plain).toContain("2/2");
  const plainly = html.replaceAll(/ style="[^"]*"/gu, "");
  expect(plainly).toMatch(/<th scope="row">run-1<\/th><td>done<\/td><td>2\/2<\/td>/u);
  // A front end may have no style for tables, and a narrow one has its own drawing.
  expect(html.match(/<t[hd]\b(?! style="padding:)/gu)).toBeNull();
  expect(html).toMatch(/<div style="overflow-x:auto"[^>]*><table>/u);
  expect(html).toMatch(/<source media="\(max-width:600px\)" srcset="data:image\/svg\+xml;base64,/u);
  const [, drawn = ""] = /src="data:image\/svg\+xml;base64,([^"]+)"/u.exec(html) ?? [];
  expect(Buffer.from(drawn, "base64").toString()).toMatch(/^<svg[^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/u);
  // What a stranger wrote is text, and the notebook's own page keeps its styles.
  expect(html).toContain("&lt;img src=x onerror=alert(1)&gt;\\u{202e}evil");
  expect(html).not.toMatch(/<img src=x|<script|<style|\u202E/u);
  expect(plain).not.toContain("\u202E");
});

test("a comparison is what the terminal shows, and the same in tables", async () => {
  const { "text/plain": plain, "text/html": html } = bundleOf(
    await showComparison([join(folder, "run-1"), join(folder, "run-2")]),
  );
  expect(plain).toContain("Settings: the same but for the seed.");
  const plainly = html.replaceAll(/ style="[^"]*"/gu, "");
  expect(plainly).toMatch(/<th scope="col">ACCURACY<\/th>/u);
  expect(plainly).toMatch(/<th scope="row">A<\/th><td>2<\/td>/u);
});

test("a folder that is no run is refused", async () => {
  await expect(showRun(join(folder, "none"))).rejects.toMatchObject({ code: "run_missing" });
  await expect(showComparison([join(folder, "none")])).rejects.toMatchObject({ code: "run_missing" });
});
