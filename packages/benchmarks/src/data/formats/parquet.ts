import { LaconicError, dataError, mapValues } from "@laconic/core";
import { exactJson, exactNumber, JsonText } from "@laconic/core/json";
import type { Compressors, FileMetaData, SchemaElement } from "hyparquet";
import type { DataRow } from "../data-row.ts";

export interface ByteSource {
  readonly bytes: number;
  read(start: number, end: number): Promise<Uint8Array>;
}

export interface ParquetPart {
  /** Rows from the first. Default all. */
  readonly rows?: number;
  /** Names, or nested names (`a.b`). Default all, also if one of `required` is missing. */
  readonly columns?: { readonly wanted: readonly string[]; readonly required: readonly string[] };
  /** Reads decimals exactly. Default false. */
  readonly exact?: boolean;
}

/** Limits against damage and bombs. */
const [maxGroupRows, maxPageBytes, maxReadBytes] = [1 << 24, 1 << 28, 1 << 28];
const footerBytes = 1 << 16;

/**
 * Reads selected columns and row groups, and only needed pages if there is an index.
 * @throws LaconicError `data_invalid` for a damaged or inconsistent file; errors of `source`
 */
export async function parquetRows(file: string, source: ByteSource, part: ParquetPart = {}): Promise<DataRow[]> {
  const { parquetMetadataAsync, parquetReadObjects, parquetSchema } = await import("hyparquet");
  const { compressors } = await import("hyparquet-compressors");
  const buffer = {
    byteLength: source.bytes,
    slice: async (start: number, end: number = source.bytes): Promise<ArrayBuffer> => {
      if (end - start > maxReadBytes) throw new Error(`it asks for ${end - start} bytes at once`);
      const { buffer: all, byteOffset, byteLength } = await source.read(start, end);
      return all.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
    },
  };
  try {
    const metadata = await parquetMetadataAsync(buffer, { initialFetchSize: footerBytes });
    const count = rowsIn(metadata, source.bytes);
    const { children } = parquetSchema(metadata);
    const names = children.map(({ element }) => element.name);
    const readers = children.flatMap(({ element }) => readersOf(element, part.exact ?? false));
    const columns = columnsAmong(names, part);
    const records = await parquetReadObjects({
      file: buffer,
      metadata,
      rowEnd: Math.min(part.rows ?? count, count),
      useOffsetIndex: true,
      compressors: bounded(compressors),
      parsers: {
        ...(part.exact && {
          jsonFromBytes: (bytes: Uint8Array) => bytes && exactJson(new TextDecoder().decode(bytes)),
        }),
        geometryFromBytes: (bytes: Uint8Array) => bytes,
      },
      ...(columns && { columns }),
    });
    return records.map((record, i) => {
      for (const [name, read] of readers) if (record[name] != null) record[name] = read(record[name] as never);
      return { file, row: i + 1, value: plain(record) };
    });
  } catch (error) {
    if (LaconicError.is(error)) throw error;
    throw dataError(`${file}: not a whole Parquet file: ${String(error)}`, { file }, error);
  }
}

export function inMemory(bytes: Uint8Array): ByteSource {
  return { bytes: bytes.length, read: async (start, end) => bytes.subarray(start, end) };
}

/**
 * Row count by a consistent footer.
 * @throws Error
 */
function rowsIn({ num_rows: total, row_groups: groups }: FileMetaData, bytes: number): number {
  let rows = 0n;
  for (const [i, { num_rows: count, columns }] of groups.entries()) {
    if (count < 0n || count > maxGroupRows)
      throw new Error(`row group ${i} declares ${count} rows; at most ${maxGroupRows} are read`);
    rows += count;
    for (const { meta_data: data } of columns) {
      const start = data?.dictionary_page_offset || data?.data_page_offset;
      if (
        !data ||
        start === undefined ||
        start < 0n ||
        data.total_compressed_size < 0n ||
        start + data.total_compressed_size > bytes
      )
        throw new Error(`row group ${i} has a column outside of the file's ${bytes} bytes`);
    }
  }
  if (rows !== total) throw new Error(`it declares ${total} rows, its row groups ${rows}`);
  return Number(rows);
}

function columnsAmong(names: readonly string[], { columns }: ParquetPart): string[] | null {
  if (!columns) return null;
  const found = (wanted: string): string | undefined =>
    names.find((name) => name === wanted) ?? names.find((name) => wanted.startsWith(`${name}.`));
  if (columns.required.some((name) => found(name) === undefined)) return null;
  return [...new Set([...columns.required, ...columns.wanted].flatMap((name) => found(name) ?? []))];
}

/** Checks the unpacked size before allocation. */
function bounded(compressors: Compressors): Compressors {
  return mapValues(compressors, (unpack) => (input: Uint8Array, length: number) => {
    if (!(length >= 0 && length <= maxPageBytes)) throw new Error(`a page declares ${length} unpacked bytes`);
    return unpack(input, length);
  });
}

type Reader = readonly [name: string, read: (value: never) => unknown];

/**
 * Converters for columns that the library reads inexactly: it multiplies decimals as floats. Nested decimals stay
 * floats.
 */
function readersOf(element: SchemaElement, exact: boolean): readonly Reader[] {
  const { name, type, scale = 0 } = element;
  if (element.num_children) return [];
  if (type === "FLOAT") return [[name, shortest]];
  if (element.converted_type !== "DECIMAL" && element.logical_type?.type !== "DECIMAL") return [];
  delete element.converted_type;
  delete element.logical_type;
  // The library only passes on bytes of this type.
  if (type === "BYTE_ARRAY") element.logical_type = { type: "GEOMETRY" };
  return [[name, (value) => (exact ? new JsonText(decimal(value, scale)) : exactNumber(decimal(value, scale)))]];
}

/** Shortest number with the same 32-bit float. */
function shortest(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(9));
}

/** @param stored - without its point; bytes are big-endian two's complement */
function decimal(stored: number | bigint | Uint8Array, scale: number): string {
  const unscaled =
    stored instanceof Uint8Array
      ? BigInt.asIntN(
          8 * stored.length,
          stored.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n),
        )
      : BigInt(stored);
  const [sign, digits] = [
    unscaled < 0n ? "-" : "",
    String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, "0"),
  ];
  return sign + (scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`);
}

/** Text beyond safe integers. */
function plain(value: unknown): unknown {
  if (value instanceof JsonText) return value;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}
