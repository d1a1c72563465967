import { gzipSync } from "node:zlib";
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { benchmarkNamed } from "../data/registry.ts";
import * as browserFormats from "../data/formats/platform/browser.ts";
import * as nodeFormats from "../data/formats/platform/node.ts";
import * as browser from "./browser.ts";
import * as node from "./node.ts";

test.each([
  [browser, node],
  [browserFormats, nodeFormats],
])("both platforms have the same names", (one, other) =>
  expect(Object.keys(one).toSorted()).toEqual(Object.keys(other).toSorted()),
);

test.each([["node", nodeFormats] as const, ["browser", browserFormats] as const])(
  "%s unpacks gzip up to a limit",
  async (_, platform) => {
    const text = "line\n".repeat(1000);
    const packed = new Uint8Array(gzipSync(text));
    expect(new TextDecoder().decode(await platform.unpacked(packed, 5000))).toBe(text);
    await expect(platform.unpacked(packed, 4999)).rejects.toThrow(/the unpacked size is above|unpacks to more than/u);
    await expect(platform.unpacked(packed.subarray(0, 20), 5000)).rejects.toThrow(/end|terminated/iu);
  },
);

test.each([["node", nodeFormats] as const, ["browser", browserFormats] as const])(
  "%s reads cells with quotes",
  (_, { parseCsv }) => {
    expect(parseCsv('a,"b ""c"", d"\n1,None\n')).toEqual([
      ["a", 'b "c", d'],
      ["1", "None"],
    ]);
  },
);

test("a browser fetches a pinned split, and refuses other bytes", async () => {
  const benchmark = benchmarkNamed("gsm8k");
  const row = JSON.stringify({ question: "1 + 1?", answer: "so 2\n#### 2" });
  const asked: string[] = [];
  const fetch = (async (url: string) => {
    asked.push(url);
    return new Response(`${row}\n`);
  }) as typeof globalThis.fetch;
  const open = browser.openSplit(benchmark, { folder: "", fetch });
  await expect(open).rejects.toMatchObject({
    code: "data_invalid",
    message: expect.stringContaining(createHash("sha256").update(`${row}\n`).digest("hex")),
  });
  const loaded = await browser.openSplit(benchmark, { folder: "", fetch, allowChanged: true });
  expect(loaded.problems).toMatchObject([{ question: "1 + 1?", gold: "2" }]);
  expect(asked[0]).toMatch(/^https:/u);
});

test("a feature that browsers lack is rejected with an alternative", async () => {
  const benchmark = benchmarkNamed("gsm8k");
  await expect(browser.findFiles(benchmark, "test", "/data")).rejects.toThrow("loadSplit");
  await expect(browserFormats.zipEntries("a.zip")).rejects.toThrow("unpack it first");
  await expect(browser.openSplit(benchmark, { folder: "", from: "hub" })).rejects.toThrow("pinned files only");
});
