import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { joinPath } from "./file-system.ts";
import { memoryFileSystem } from "./memory-file-system.ts";

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

test("written files can be read, listed, hashed, moved and removed", async () => {
  const fs = memoryFileSystem({ "/run/a.txt": "one" });
  await fs.append("/run/a.txt", " two");
  await fs.append("/run/new.txt", "x");
  await fs.makeDirectory("/run/empty");
  await fs.write("/run/deep/b.bin", new Uint8Array([1, 2]));
  expect(text(await fs.read("/run//a.txt"))).toBe("one two");
  expect(await fs.list("/run/")).toEqual(["a.txt", "deep", "empty", "new.txt"]);
  expect(await fs.digest("/run/a.txt")).toEqual({
    bytes: 7,
    sha256: createHash("sha256").update("one two").digest("hex"),
  });
  await fs.rename("/run/deep", "/run/moved");
  expect(await fs.exists("/run/deep")).toBe(false);
  expect([...(await fs.read("/run/moved/b.bin"))]).toEqual([1, 2]);
  await fs.remove("/run");
  expect(await fs.exists("/run")).toBe(false);
});

test("a missing file gives Node's error", async () => {
  const fs = memoryFileSystem();
  for (const missing of [fs.read("x"), fs.list("x"), fs.digest("x"), fs.rename("x", "y"), fs.openToRead("x")])
    await expect(missing).rejects.toMatchObject({ code: "ENOENT" });
  await expect(fs.remove("x")).resolves.toBeUndefined();
});

test("a reader's bytes and a writer's are their own", async () => {
  const bytes = new Uint8Array([1, 2, 3]);
  const fs = memoryFileSystem({ "x/f": bytes });
  bytes[0] = 9;
  (await fs.read("x/f"))[1] = 9;
  expect([...(await fs.read("x/f"))]).toEqual([1, 2, 3]);
});

test("large files are read and written in pieces", async () => {
  const fs = memoryFileSystem();
  const writer = await fs.openToWrite("m/w");
  const piece = new Uint8Array([1, 2, 3]);
  await writer.write(piece);
  piece.fill(7);
  await writer.write(piece);
  await writer.sync();
  await writer.close();
  const reader = await fs.openToRead("m/w");
  const into = new Uint8Array(4);
  expect([reader.bytes, await reader.read(into, 2)]).toEqual([6, 4]);
  expect([...into]).toEqual([3, 7, 7, 7]);
  expect(await reader.read(into, 6)).toBe(0);
  await reader.close();
});

test.each([
  [["a", "b"], "a/b"],
  [["/a/", "/b", "c/"], "/a/b/c/"],
  [["/", "x"], "/x"],
  [["", "x", ""], "x"],
  [["./a", "b.json"], "./a/b.json"],
])("%j is joined to %s", (parts, path) => expect(joinPath(...parts)).toBe(path));
