import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SinkReading } from "../../src/testing/index.ts";
import { bytesOf, fields } from "./protobuf-reading.ts";

export interface DecodedEvent {
  wallTime?: number;
  step?: number;
  version?: string;
  readonly scalars: Record<string, number>;
  /** Plugin and string tensor by tag. */
  readonly plugins?: Record<string, { readonly plugin: string; readonly text: string }>;
}

/** Records of an event file. @throws Error for a wrong checksum */
export function decodeFile(data: Buffer): DecodedEvent[] {
  const events: DecodedEvent[] = [];
  for (let index = 0; index < data.length;) {
    const length = Number(data.readBigUInt64LE(index));
    const payload = data.subarray(index + 12, index + 12 + length);
    const isWhole =
      data.readUInt32LE(index + 8) === slowMaskedCrc(data.subarray(index, index + 8)) &&
      data.readUInt32LE(index + 12 + length) === slowMaskedCrc(payload);
    if (!isWhole) throw new Error(`checksum at ${index}`);
    events.push(decodeEvent(payload));
    index += 16 + length;
  }
  return events;
}

export async function tensorBoardReading(directory: string): Promise<SinkReading> {
  const read: Record<string, Record<number, number>> = {};
  for (const name of await readdir(directory))
    for (const { step = 0, scalars } of decodeFile(await readFile(join(directory, name))))
      for (const [tag, value] of Object.entries(scalars)) (read[tag] ??= {})[step] = value;
  return read;
}

function decodeEvent(payload: Buffer): DecodedEvent {
  const event: DecodedEvent = { scalars: {} };
  const plugins: Record<string, { plugin: string; text: string }> = {};
  for (const { field, value } of fields(payload)) {
    if (field === 1) event.wallTime = value as number;
    if (field === 2) event.step = value as number;
    if (field === 3) event.version = (value as Buffer).toString();
    if (field !== 5) continue;
    for (const summary of bytesOf(value as Buffer, 1)) {
      const parts = new Map([...fields(summary)].map((part) => [part.field, part.value]));
      const tag = (parts.get(1) as Buffer).toString();
      const metadata = parts.get(9) as Buffer | undefined;
      if (!metadata) event.scalars[tag] = parts.get(2) as number;
      else
        plugins[tag] = {
          plugin: String(bytesOf(bytesOf(metadata, 1)[0] as Buffer, 1)[0]),
          text: String(bytesOf(parts.get(8) as Buffer, 8)[0] ?? ""),
        };
    }
  }
  return Object.keys(plugins).length === 0 ? event : { ...event, plugins };
}

/** Bitwise, independent of the tested table. */
function slowMaskedCrc(data: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  crc = ~crc >>> 0;
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}
