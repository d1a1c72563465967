import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { FileSystem } from "@laconic/core/files";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { decodeFile, type DecodedEvent } from "../../test/sinks/tensorboard-reading.ts";
import { evaluationAt, hostileEpisode, sinkRun } from "../testing/index.ts";
import { nodeFileSystem } from "#platform";
import { tensorBoardSink } from "./tensorboard.ts";
import { crc32c, encodeScalars, frameRecord } from "./tensorboard-events.ts";

async function temporary(): Promise<string> {
  return join(await temporaryFolder(), "tensorboard");
}

test("computes CRC-32C of the standard's check string", () => {
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

test("infinite and NaN values are skipped", () => {
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

test("batches many rows into few writes; closing writes the rest", async () => {
  const directory = await temporary();
  let time = 1000;
  let writes = 0;
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

test("writes settings, the interval's chart and transcripts for TensorBoard's plugins once", async () => {
  const directory = await temporary();
  const sink = tensorBoardSink({ directory, wallTime: () => 1000 });
  await sink.begin(sinkRun);
  await sink.evaluation(evaluationAt(4));
  await sink.transcripts([hostileEpisode], 4);
  await sink.close("finished");
  const [name = ""] = await readdir(directory);
  const match = Object.assign(
    {},
    ...decodeFile(await readFile(join(directory, name))).map(({ plugins = {} }) => plugins),
  ) as NonNullable<DecodedEvent["plugins"]>;
  expect(Object.entries(match).map(([tag, { plugin }]) => [tag, plugin])).toEqual([
    ["_hparams_/experiment", "hparams"],
    ["_hparams_/session_start_info", "hparams"],
    ["custom_scalars__config__", "custom_scalars"],
    ["transcripts/1", "text"],
    ["_hparams_/session_end_info", "hparams"],
  ]);
  const lines = match["transcripts/1"]?.text.split("\n") ?? [];
  expect(lines.every((line) => line.startsWith("    "))).toBe(true); // code in Markdown
  expect(lines).toContain("        \\u202etxet\\u0000\\u001b[31m | `code` \\ud800");
});

test("a sink that got nothing leaves an earlier folder alone", async () => {
  const directory = await temporary();
  await mkdir(directory);
  await writeFile(join(directory, "events.out.tfevents.1.old"), "kept");
  await tensorBoardSink({ directory, wallTime: () => 1 }).close();
  expect(await readFile(join(directory, "events.out.tfevents.1.old"), "utf8")).toBe("kept");
});
