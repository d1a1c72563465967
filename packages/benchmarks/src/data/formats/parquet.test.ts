import { parquetMetadata } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { expect, test } from "vitest";
import { inMemory, parquetRows } from "./parquet.ts";

const table = (codec: "SNAPPY" | "UNCOMPRESSED" = "UNCOMPRESSED"): Uint8Array =>
  new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: "a", data: Array.from({ length: 300 }, (_, i) => i), type: "INT32" },
        { name: "b", data: Array.from({ length: 300 }, (_, i) => `text ${i}`), type: "STRING" },
      ],
      codec,
      rowGroupSize: 100,
    }),
  );

/** The zigzag varint that Thrift's compact protocol writes a number as. */
function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  for (let rest = value * 2n; ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 127n) | 128);
  }
}

function lying(bytes: Uint8Array, from: bigint, to: bigint, nth = 0): Uint8Array {
  const file = Buffer.from(bytes);
  const length = file.readUInt32LE(file.length - 8);
  const footer = file.subarray(file.length - 8 - length, file.length - 8);
  let index = -1;
  for (let i = 0; i <= nth; i++) index = footer.indexOf(Buffer.concat([Buffer.of(0x16), varint(from)]), index + 1);
  expect(index).toBeGreaterThanOrEqual(0);
  const changed = Buffer.concat([
    footer.subarray(0, index + 1),
    varint(to),
    footer.subarray(index + 1 + varint(from).length),
  ]);
  const tail = Buffer.alloc(8);
  tail.writeUInt32LE(changed.length);
  tail.write("PAR1", 4);
  return Buffer.concat([file.subarray(0, file.length - 8 - length), changed, tail]);
}

test("the rows and columns that are asked for", async () => {
  const part = { rows: 101, columns: { required: ["b"], wanted: ["c", "a.x"] } };
  const read = await parquetRows("a.parquet", inMemory(table("SNAPPY")), part);
  expect(read).toHaveLength(101);
  expect(read[100]).toEqual({ file: "a.parquet", row: 101, value: { b: "text 100", a: 100 } });
  const all = await parquetRows("a.parquet", inMemory(table()), { columns: { required: ["d"], wanted: ["b"] } });
  expect([all.length, all[299]]).toEqual([300, { file: "a.parquet", row: 300, value: { a: 299, b: "text 299" } }]);
});

test.for([
  ["10^12 rows in all", lying(table(), 300n, 10n ** 12n), /declares 1000000000000 rows, its row groups 300/u],
  [
    "10^12 rows in a row group",
    lying(lying(table(), 100n, 10n ** 12n, 2), 300n, 10n ** 12n + 200n),
    /row group 0 declares 1000000000000 rows/u,
  ],
  ["no footer", table().subarray(0, -20), /not a whole Parquet file/u],
  [
    "a footer longer than itself",
    ((bytes) => (bytes.writeUInt32LE(0x7fff_ffff, bytes.length - 8), bytes))(Buffer.from(table())),
    /exceeds available/u,
  ],
  ["nothing", new Uint8Array(), /not a whole Parquet file/u],
] as const)("a file with %s is refused, and little memory with it", async ([, bytes, reason]) => {
  const error: unknown = await parquetRows("a.parquet", inMemory(bytes), { rows: 5 }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: "data_invalid", message: expect.stringMatching(reason) as string });
});

test("columns outside of the file, and pages that unpack without end, are refused", async () => {
  const bytes = table("SNAPPY");
  const { row_groups: groups } = parquetMetadata(bytes);
  const size = groups[1]?.columns[1]?.meta_data?.total_compressed_size as bigint;
  await expect(parquetRows("a.parquet", inMemory(lying(bytes, size, 10n ** 10n, 0)))).rejects.toThrow(
    /outside of the file/u,
  );
  // The first page's header: field 2, its length unpacked, as a 32-bit integer.
  const first = Number(groups[0]?.columns[0]?.meta_data?.data_page_offset);
  const page = Buffer.from(bytes);
  expect([page[first], page[first + 2]]).toEqual([0x15, 0x15]);
  const grown = Buffer.concat([page.subarray(0, first + 3), varint(2_000_000_000n), page.subarray(first + 5)]);
  await expect(parquetRows("a.parquet", inMemory(grown))).rejects.toMatchObject({ code: "data_invalid" });
});
