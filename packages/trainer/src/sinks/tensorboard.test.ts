import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tensorBoardSink } from "./tensorboard.ts";
import { crc32c, encodeScalars, frameRecord } from "./tensorboard-events.ts";

interface DecodedEvent {
  wallTime?: number;
  step?: number;
  version?: string;
  readonly scalars: Record<string, number>;
}

/** Reads protocol-buffer fields: varints, 64-bit and 32-bit numbers, bytes. */
function* fields(data: Buffer): Generator<{ field: number; value: number | Buffer }> {
  let at = 0;
  const varint = (): number => {
    let [value, scale] = [0, 1];
    for (;;) {
      const byte = data[at++] as number;
      value += (byte & 127) * scale;
      scale *= 128;
      if (byte < 128) return value;
    }
  };
  while (at < data.length) {
    const tag = varint();
    const [field, wire] = [tag >> 3, tag & 7];
    if (wire === 0) yield { field, value: varint() };
    else if (wire === 1) yield { field, value: data.readDoubleLE((at += 8) - 8) };
    else if (wire === 5) yield { field, value: data.readFloatLE((at += 4) - 4) };
    else {
      const length = varint();
      yield { field, value: data.subarray(at, (at += length)) };
    }
  }
}

function decodeEvent(payload: Buffer): DecodedEvent {
  const event: DecodedEvent = { scalars: {} };
  for (const { field, value } of fields(payload)) {
    if (field === 1) event.wallTime = value as number;
    if (field === 2) event.step = value as number;
    if (field === 3) event.version = (value as Buffer).toString();
    if (field !== 5) continue;
    for (const summary of fields(value as Buffer)) {
      const parts = new Map([...fields(summary.value as Buffer)].map((part) => [part.field, part.value]));
      event.scalars[(parts.get(1) as Buffer).toString()] = parts.get(2) as number;
    }
  }
  return event;
}

/** Bit by bit, so that it shares nothing with the table under test. */
function slowMaskedCrc(data: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  crc = ~crc >>> 0;
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

function decodeFile(data: Buffer): DecodedEvent[] {
  const events: DecodedEvent[] = [];
  for (let at = 0; at < data.length;) {
    const length = Number(data.readBigUInt64LE(at));
    const payload = data.subarray(at + 12, at + 12 + length);
    expect(data.readUInt32LE(at + 8)).toBe(slowMaskedCrc(data.subarray(at, at + 8)));
    expect(data.readUInt32LE(at + 12 + length)).toBe(slowMaskedCrc(payload));
    events.push(decodeEvent(payload));
    at += 16 + length;
  }
  return events;
}

async function temporary(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "laconic-events-"));
  onTestFinished(() => rm(path, { recursive: true }));
  return join(path, "tensorboard");
}

test("CRC-32C of the standard's check string", () => {
  expect(crc32c(new TextEncoder().encode("123456789"))).toBe(0xe3069283);
  expect(crc32c(new Uint8Array())).toBe(0);
});

test("a scalar event survives an independent decoder, long values and large steps included", () => {
  const name = "x".repeat(300);
  const step = 2 ** 40 + 5;
  const [event] = decodeFile(
    Buffer.from(frameRecord(encodeScalars(12.5, step, { step, "reward/mean": -0.5, [name]: 3 }))),
  );
  expect(event).toEqual({ wallTime: 12.5, step, scalars: { "reward/mean": -0.5, [name]: 3 } });
});

test("values that are not finite are left out", () => {
  const [event] = decodeFile(Buffer.from(frameRecord(encodeScalars(0, 1, { a: NaN, b: Infinity, c: 1 }))));
  expect(event?.scalars).toEqual({ c: 1 });
});

test("the sink writes one file: version first, then a record per step; an earlier folder is replaced", async () => {
  const directory = await temporary();
  await mkdir(directory);
  await writeFile(join(directory, "events.out.tfevents.1.old"), "");
  let time = 1000.25;
  const sink = tensorBoardSink({ directory, wallTime: () => time });
  await sink.log({ step: 1, "reward/mean": 0.25 }, 1);
  time = 1001;
  await sink.log({ step: 2, "reward/mean": 0.5 }, 2);
  await sink.close();
  const names = await readdir(directory);
  expect(names).toHaveLength(1);
  expect(names[0]).toMatch(/^events\.out\.tfevents\.1000\./);
  expect(decodeFile(await readFile(join(directory, names[0] as string)))).toEqual([
    { wallTime: 1000.25, version: "brain.Event:2", scalars: {} },
    { wallTime: 1000.25, step: 1, scalars: { "reward/mean": 0.25 } },
    { wallTime: 1001, step: 2, scalars: { "reward/mean": 0.5 } },
  ]);
});

test("a sink that got nothing leaves an earlier folder alone", async () => {
  const directory = await temporary();
  await mkdir(directory);
  await writeFile(join(directory, "events.out.tfevents.1.old"), "kept");
  await tensorBoardSink({ directory, wallTime: () => 1 }).close();
  expect(await readFile(join(directory, "events.out.tfevents.1.old"), "utf8")).toBe("kept");
});
