import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { WeightsReceiver } from "@laconic/openai/fleet";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

const chunkBytes = 1024;
const content = Buffer.alloc(chunkBytes, 7);
const sha256 = createHash("sha256").update(content).digest("hex");

const manifest = (...names: readonly string[]): object => ({
  chunkBytes,
  base: null,
  files: names.map((name) => ({ name, bytes: chunkBytes, sha256, chunks: [sha256] })),
});

type Ask = (method: string, path: string, body?: object | Buffer) => Promise<readonly [number, string]>;

const asker =
  ({ handler }: WeightsReceiver): Ask =>
  async (method, path, body) => {
    const sent = body instanceof Buffer ? new Uint8Array(body) : body && JSON.stringify(body);
    const reply = await handler(
      new Request(`http://localhost/weights/${path}`, { method, ...(sent && { body: sent }) }),
    );
    return [reply.status, await reply.text()];
  };

test("partial versions share one size limit, also after a restart", async () => {
  const folder = await temporaryFolder();
  const options = { folder, maxBytes: 3 * chunkBytes };
  const ask = asker(new WeightsReceiver(options));
  const begun = await Promise.all(["a", "b", "c", "d"].map((name) => ask("PUT", name, manifest("w"))));
  const statuses = begun.map(([status]) => status);
  expect([200, 507].map((status) => statuses.filter((value) => value === status).length)).toEqual([2, 2]);
  const again = asker(new WeightsReceiver(options));
  expect(await again("PUT", "e", manifest("w"))).toEqual([507, expect.stringContaining("delete one")]);
  const drafts = (await readdir(folder)).map((name) => name.replace(".part", ""));
  expect(drafts).toHaveLength(2);
  // Restarting an upload needs no further space; deleting one frees its space.
  expect((await again("PUT", drafts[0] as string, manifest("w")))[0]).toBe(200);
  expect((await again("DELETE", drafts[1] as string))[0]).toBe(204);
  expect((await again("PUT", "e", manifest("w")))[0]).toBe(200);
});

test("limits the number of partial versions", async () => {
  const ask = asker(new WeightsReceiver({ folder: await temporaryFolder() }));
  const matches: number[] = [];
  for (let i = 0; i < 70; i++) matches.push((await ask("PUT", `v${i}`, manifest("w")))[0]);
  expect([matches.indexOf(507), matches.filter((status) => status === 200).length]).toEqual([64, 64]);
});

test.each([
  ["a version that is another's draft", "v.part", manifest("w"), 400],
  ["the same in other letters", "v.PART", manifest("w"), 400],
  ["a file that is the draft's own", "v", manifest("manifest.json.part"), 400],
  ["a file twice", "v", manifest("w", "w"), 400],
  ["a file twice on other systems", "v", manifest("w", "W"), 400],
  ["two files", "v", manifest("w", "x"), 200],
])("%s", async (_, name, body, status) => {
  const folder = await temporaryFolder();
  const ask = asker(new WeightsReceiver({ folder }));
  expect((await ask("PUT", name, body))[0]).toBe(status);
  expect(await readdir(folder)).toEqual(status === 200 ? [`${name}.part`] : []);
});
