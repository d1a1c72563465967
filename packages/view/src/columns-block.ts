import { boundedJson } from "@laconic/core/json";
import type { ColumnsHeader } from "./protocol.ts";

/** A decoded body. */
export interface ColumnsBlock {
  readonly from: number;
  readonly every: number;
  readonly columns: ReadonlyMap<string, Float64Array>;
}

/** Reads the binary body. @throws Error when it is cut or no such body */
export function decodeColumns(body: ArrayBuffer): ColumnsBlock {
  if (body.byteLength < 4) throw new Error("The columns end before their header");
  const length = new DataView(body).getUint32(0, true);
  if (body.byteLength < 4 + length) throw new Error("The columns end before their header");
  const header = boundedJson(new TextDecoder().decode(new Uint8Array(body, 4, length))) as ColumnsHeader;
  const start = Math.ceil((4 + length) / 8) * 8;
  if (body.byteLength < start + header.names.length * header.rows * 8)
    throw new Error("The columns end before their last row");
  const columns = header.names.map(
    (name, i) => [name, new Float64Array(body, start + i * header.rows * 8, header.rows)] as const,
  );
  return { from: header.from, every: header.every, columns: new Map(columns) };
}
