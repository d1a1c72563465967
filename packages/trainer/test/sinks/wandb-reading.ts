import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { SinkReading } from "../../src/testing/index.ts";
import { bytesOf, fields } from "./protobuf-reading.ts";

const blockBytes = 32_768;

/** Records of a W&B offline run. @throws Error for a wrong header or checksum */
function wandbRecords(data: Buffer): Buffer[] {
  if (data.subarray(0, 7).toString("hex") !== "3a572642e1be00") throw new Error("no W&B file");
  const records: Buffer[] = [];
  let parts: Buffer[] = [];
  for (let at = 7; at < data.length;) {
    const left = blockBytes - (at % blockBytes);
    if (left < 7) {
      at += left;
      continue;
    }
    const [length, kind] = [data.readUInt16LE(at + 4), data[at + 6] as number];
    if (data.readUInt32LE(at) !== crc32(data.subarray(at + 6, at + 7 + length))) throw new Error(`checksum at ${at}`);
    if (kind <= 2 && parts.length > 0) throw new Error(`a record begins within another at ${at}`);
    parts.push(data.subarray(at + 7, at + 7 + length));
    at += 7 + length;
    if (kind !== 1 && kind !== 4) continue;
    records.push(Buffer.concat(parts));
    parts = [];
  }
  return records;
}

async function wandbRunIn(directory: string): Promise<{ readonly folder: string; readonly data: Buffer }> {
  const [name = "", ...others] = await readdir(directory);
  if (others.length > 0) throw new Error(`several runs: ${name}, ${others.join(", ")}`);
  const id = name.split("-").at(-1);
  return { folder: join(directory, name), data: await readFile(join(directory, name, `run-${id}.wandb`)) };
}

export async function wandbReading(directory: string): Promise<SinkReading> {
  const read: Record<string, Record<number, number>> = {};
  for (const record of wandbRecords((await wandbRunIn(directory)).data))
    for (const history of bytesOf(record, 2)) {
      const [step] = bytesOf(history, 2).map((each) => Number([...fields(each)][0]?.value));
      for (const item of bytesOf(history, 1)) {
        const name = String(bytesOf(item, 2)[0]);
        const value = Number(String(bytesOf(item, 16)[0]));
        const column = (read[name] ??= {});
        if (step !== undefined && step in column) throw new Error(`${name}: step ${step} twice`);
        column[step ?? -1] = value;
      }
    }
  return read;
}
