import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { randomFromSeed } from "../packages/core/src/index.ts";
import { fileJournal } from "../packages/tinker/src/client/journal.ts";
import { settingNames } from "./simulate/any-settings.ts";
import { Disk, diskRoot } from "./simulate/disk.ts";
import { shrink, type Fault } from "./simulate/faults.ts";
import { onMachine } from "./simulate/machine.ts";
import { scenarios } from "./simulate/scenarios/table.ts";
import { hear, hearRequest, secret } from "./simulate/secret.ts";
import { drawVariant } from "./simulate/training.ts";
import { World } from "./simulate/world.ts";
import { root } from "./workspace.ts";

interface Outcome {
  readonly scenario: string;
  readonly seed: number;
  readonly events: number;
  readonly trace: string;
  readonly violation: string | null;
  readonly met: readonly string[];
}

async function simulate(...words: readonly string[]): Promise<string[]> {
  const program = [join(root, "scripts/simulate.mjs"), ...words];
  const { stdout } = await promisify(execFile)(process.execPath, program, { maxBuffer: 1 << 26 });
  return stdout.trimEnd().split("\n");
}

const outcomes = (lines: readonly string[]): Outcome[] =>
  lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as Outcome);

test("a seed of every scenario passes, and replays with its events", async () => {
  const all = outcomes(await simulate("--seed", "1", "--json"));
  expect(all.filter(({ violation }) => violation !== null)).toEqual([]);
  expect(all.flatMap(({ met }) => met).length).toBeGreaterThan(0);
  for (const scenario of Object.keys(scenarios)) {
    const own = all.filter((outcome) => outcome.scenario === scenario);
    expect(own.map(({ seed }) => seed)).toEqual([1]);
  }
  const lines = await simulate("--scenario", "two-trainers", "--seed", "1", "--replay", "--json");
  const [again] = outcomes(lines);
  expect(again?.trace).toBe(all.find(({ scenario, seed }) => scenario === "two-trainers" && seed === 1)?.trace);
  const events = lines.filter((line) => /^ +\d+ \d+\.\d{3} (?:\d+|-) /u.test(line));
  expect(events.length).toBeGreaterThanOrEqual(again?.events ?? Infinity);
});

test("rejects unknown arguments", async () => {
  await expect(simulate("--scenario", "none")).rejects.toThrow(/expected one of train/u);
  await expect(simulate("--seeds", "0")).rejects.toThrow(/expected a whole number/u);
});

test("draws every setting of the schema for every kind of team", () => {
  const drawn = new Set<string>();
  const missing = (): string[] => settingNames.filter((name) => !drawn.has(name) && name !== "steps");
  for (let seed = 0; seed < 2000 && missing().length > 0; seed++) {
    const { settings } = drawVariant(randomFromSeed(seed), seed % 2 === 0);
    for (const name of Object.keys(settings)) drawn.add(name);
  }
  expect(missing()).toEqual([]);
});

test("detects the key in every form and in a header to a foreign host", () => {
  const heard = (say: (world: World) => void): string | null => {
    const world = new World("secret", []);
    world.keyHosts = ["a.example"];
    say(world);
    return world.violation?.message ?? null;
  };
  const bearer = { headers: { authorization: `Bearer ${secret}` } };
  expect(heard((world) => hearRequest(world, "https://a.example/v1", bearer))).toBeNull();
  expect(heard((world) => hearRequest(world, "https://b.example/v1", bearer))).toMatch(/header to b\.example/u);
  expect(heard((world) => hearRequest(world, `https://a.example/?key=${secret}`, {}))).toMatch(/address/u);
  for (const before of ["", "a", "ab", "abc"]) {
    const encoded = Buffer.from(`${before}${secret}xyz`).toString("base64");
    expect(heard((world) => hear(world, "a file", encoded))).toMatch(/a file holds the key/u);
  }
  expect(heard((world) => hear(world, "an error", new Error("x", { cause: new Error(secret) })))).toMatch(/an error/u);
  expect(heard((world) => hear(world, "a file", "sk-canary"))).toBeNull();
});

describe("the simulated disk", () => {
  const text = (disk: Disk, path: string): string => Buffer.from(disk.file(path).bytes).toString();
  const bytes = (of: string): Uint8Array => new TextEncoder().encode(of);

  test("keeps synced bytes and a prefix of appended ones", () => {
    const ends = new Set<string>();
    for (let seed = 0; seed < 40; seed++) {
      const disk = new Disk(randomFromSeed(seed));
      disk.makeFolder(`${diskRoot}/a`, false);
      const file = disk.open(`${diskRoot}/a/f`, { create: true });
      disk.append(file, bytes("one"));
      disk.syncAll();
      disk.append(file, bytes("two"));
      disk.losePower();
      ends.add(text(disk, `${diskRoot}/a/f`));
    }
    expect([...ends].toSorted()).toEqual(["one", "onet", "onetw", "onetwo"]);
  });

  test("keeps new names in order and all names of a synced folder", () => {
    const left = new Set<string>();
    for (let seed = 0; seed < 60; seed++) {
      const disk = new Disk(randomFromSeed(seed));
      for (const folder of ["a", "b"]) disk.makeFolder(`${diskRoot}/${folder}`, false);
      disk.syncAll();
      for (const name of ["a/1", "b/2", "a/3", "b/4"]) disk.open(`${diskRoot}/${name}`, { create: true });
      disk.sync(disk.folder(`${diskRoot}/b`));
      disk.losePower();
      left.add([...disk.files()].map(([name]) => name).join());
    }
    expect([...left].toSorted()).toEqual(["a/1,a/3,b/2,b/4", "a/1,b/2,b/4", "b/2,b/4"]);
  });

  test("applies a rename completely or not at all", () => {
    for (let seed = 0; seed < 20; seed++) {
      const disk = new Disk(randomFromSeed(seed));
      disk.append(disk.open(`${diskRoot}/old`, { create: true }), bytes("old"));
      disk.append(disk.open(`${diskRoot}/new`, { create: true }), bytes("new"));
      disk.syncAll();
      disk.rename(`${diskRoot}/new`, `${diskRoot}/old`);
      disk.losePower();
      const names = [...disk.files()].map(([name]) => name);
      expect(["new,old", "old"]).toContain(names.join());
      expect(text(disk, `${diskRoot}/old`)).toBe(names.length === 1 ? "new" : "old");
    }
  });
});

test("keeps a Tinker journal entry and file name after power loss and cuts a torn entry", async () => {
  for (let seed = 0; seed < 20; seed++) {
    const world = new World(`journal/${seed}`, []);
    world.disk.makeFolder(`${diskRoot}/run`, true);
    const path = `${diskRoot}/run/journal.jsonl`;
    if (seed % 2 === 0) world.disk.append(world.disk.open(path, { create: true }), new TextEncoder().encode('{"mo'));
    world.disk.syncAll();
    const entry = { model: "m", seq: 1, path: "/forward", hash: "h" };
    await onMachine(world, null, async () => {
      await world.start(() => fileJournal(path).note(entry));
      world.kill("power");
    });
    expect(JSON.parse(Buffer.from(world.disk.file(path).bytes).toString())).toEqual(entry);
  }
});

test("shrinking makes faults fewer and earlier while the seed fails", async () => {
  const kill = (index: number): Fault => ({ at: index, kind: "kill", share: 0 });
  const slow: Fault = { at: 3, kind: "slow", events: 5 };
  const fails = async (faults: readonly Fault[]): Promise<boolean> =>
    faults.some(({ kind, at }) => kind === "kill" && at >= 21) && faults.length >= 1;
  expect(await shrink([slow, kill(90), kill(400)], fails)).toEqual([kill(21)]);
});
