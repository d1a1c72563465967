import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import type { FileSystem } from "@laconic/core/files";
import { nodeFileSystem } from "#platform";
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

test("the sink writes one file: version first, then a record per step; earlier event files are replaced", async () => {
  const directory = await temporary();
  await mkdir(directory);
  await writeFile(join(directory, "events.out.tfevents.1.old"), "");
  await writeFile(join(directory, "notes.txt"), "kept");
  let time = 1000.25;
  const sink = tensorBoardSink({ directory, wallTime: () => time });
  await sink.log({ step: 1, "reward/mean": 0.25 }, 1);
  time = 1001.25;
  await sink.log({ step: 2, "reward/mean": 0.5 }, 2);
  await sink.close();
  const names = (await readdir(directory)).toSorted();
  expect(names).toHaveLength(2);
  expect(names[0]).toMatch(/^events\.out\.tfevents\.1000\./);
  expect(names[1]).toBe("notes.txt");
  expect(decodeFile(await readFile(join(directory, names[0] as string)))).toEqual([
    { wallTime: 1000.25, version: "brain.Event:2", scalars: {} },
    { wallTime: 1000.25, step: 1, scalars: { "reward/mean": 0.25 } },
    { wallTime: 1001.25, step: 2, scalars: { "reward/mean": 0.5 } },
  ]);
});

test("many rows at once are few writes, and closing writes the rest", async () => {
  const directory = await temporary();
  let [time, writes] = [1000, 0];
  const fileSystem: FileSystem = {
    ...nodeFileSystem,
    append: (path, data) => {
      writes += 1;
      return nodeFileSystem.append(path, data);
    },
  };
  const sink = tensorBoardSink({ directory, wallTime: () => time, fileSystem });
  for (let step = 1; step <= 50; step++) await sink.log({ step }, step);
  expect(writes).toBe(1);
  time = 900; // a clock that was set back
  await sink.log({ step: 51 }, 51);
  await sink.log({ step: 52 }, 52);
  expect(writes).toBe(2);
  await sink.close();
  const [name] = await readdir(directory);
  const steps = decodeFile(await readFile(join(directory, name as string))).map(({ step }) => step);
  expect(steps).toEqual([undefined, ...Array.from({ length: 52 }, (_, i) => i + 1)]);
  await sink.close();
  expect(writes).toBe(3);
});

const python = process.env["LACONIC_PYTHON"] ?? fileURLToPath(new URL("../../../../.venv/bin/python", import.meta.url));
const readBack = `
import json, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
events = EventAccumulator(sys.argv[1], size_guidance={"scalars": 0})
events.Reload()
print(json.dumps({tag: [[e.step, e.value] for e in events.Scalars(tag)] for tag in events.Tags()["scalars"]}))
`;

/** What TensorBoard reads in a directory, or null without TensorBoard. */
async function tensorBoardReads(directory: string): Promise<unknown> {
  const run = promisify(execFile)(python, ["-c", readBack, directory]);
  return run.then(
    ({ stdout }) => JSON.parse(stdout) as unknown,
    () => null,
  );
}

const hasTensorBoard = (await tensorBoardReads(tmpdir())) !== null;

test.skipIf(!hasTensorBoard)(
  "TensorBoard itself reads every step once, a resumed run included",
  { timeout: 120_000 },
  async () => {
    const directory = await temporary();
    for (const last of [3, 5]) {
      const sink = tensorBoardSink({ directory, wallTime: () => 1000 + last });
      for (let step = 1; step <= last; step++)
        await sink.log({ step, "reward/mean": step / 4, "stop/error": NaN }, step);
      await sink.close();
    }
    expect(await tensorBoardReads(directory)).toEqual({
      "reward/mean": [
        [1, 0.25],
        [2, 0.5],
        [3, 0.75],
        [4, 1],
        [5, 1.25],
      ],
    });
  },
);

test("a sink that got nothing leaves an earlier folder alone", async () => {
  const directory = await temporary();
  await mkdir(directory);
  await writeFile(join(directory, "events.out.tfevents.1.old"), "kept");
  await tensorBoardSink({ directory, wallTime: () => 1 }).close();
  expect(await readFile(join(directory, "events.out.tfevents.1.old"), "utf8")).toBe("kept");
});
