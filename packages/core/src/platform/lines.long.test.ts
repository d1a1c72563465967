import { appendFile, open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { fileLines, unpackedBytes } from "./index.ts";

const all = async <T>(rows: AsyncIterable<T>): Promise<T[]> => {
  const matches: T[] = [];
  for await (const row of rows) matches.push(row);
  return matches;
};

test("lines of a file with their rows and ends; one without its end is torn, or the last", async () => {
  const file = join(await temporaryFolder(), "rows.jsonl");
  expect(await all(fileLines(file))).toEqual([]);
  await writeFile(file, "a\n\nbé\nto");
  const whole = [
    { text: "a", row: 1, end: 2 },
    { text: "", row: 2, end: 3 },
    { text: "bé", row: 3, end: 7 },
  ];
  expect(await all(fileLines(file))).toEqual(whole);
  expect(await all(fileLines(file, false))).toEqual([...whole, { text: "to", row: 4, end: 10 }]);
  await expect(all(fileLines(join(file, "..")))).rejects.toFailWith("data_invalid");
});

test("a line that no string holds is refused by its row", async () => {
  const path = join(await temporaryFolder(), "rows.jsonl");
  await writeFile(path, "a\n");
  const file = await open(path, "r+");
  await file.truncate(600 << 20); // zeros, which take no room on the disk
  await file.close();
  await appendFile(path, "\nb\n");
  const rows: string[] = [];
  const read = async (): Promise<void> => {
    for await (const { text } of fileLines(path)) rows.push(text);
  };
  await expect(read()).rejects.toFailWith("data_invalid", { row: 2 });
  expect(rows).toEqual(["a"]);
});

test("unpacked bytes respect their limit, and invalid bytes are rejected with a reason", () => {
  const packed = gzipSync(Buffer.alloc(1 << 20));
  expect(unpackedBytes(packed, 1 << 20)).toHaveLength(1 << 20);
  const refused = (bytes: Uint8Array, most?: number): unknown => {
    try {
      return unpackedBytes(bytes, most);
    } catch (error) {
      return error;
    }
  };
  expect(refused(packed, (1 << 20) - 1)).toFailWith("data_invalid", "the unpacked size is above 1048575 bytes");
  expect(refused(gzipSync(Buffer.alloc(1 << 30), { level: 1 }))).toFailWith("data_invalid");
  expect(refused(packed.subarray(0, 40))).toFailWith("data_invalid");
  expect(refused(Buffer.from("none"))).toFailWith("data_invalid");
});
