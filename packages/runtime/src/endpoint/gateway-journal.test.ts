import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { memoryFileSystem, type FileSystem } from "@laconic/core/files";
import { scriptedEpisode } from "@laconic/core/testing";
import { restore, type FinishedRollout, type GatewayEvent } from "@laconic/serve";
import { nodeFileSystem } from "@laconic/trainer";
import { faultyFileSystem } from "@laconic/trainer/testing";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { openJournal } from "./gateway-journal.ts";

const rollout = (id: string, step: number): FinishedRollout => ({
  id,
  group: "g",
  reward: { team: { task: 1 } },
  kinds: { first: 1 },
  steps: [step, step],
  episode: { ...scriptedEpisode([]), answer: "x".repeat(200) },
});

/** Four rollouts a step, of which one is dropped, one waits a step longer, and one is never ended. */
const story: readonly GatewayEvent[] = Array.from({ length: 12 }, (_, step): GatewayEvent[] => [
  ...["a", "b", "c", "open"].map((name) => ({ kind: "opened" as const, id: `${name}${step}` })),
  ...["a", "b", "c"].map((name) => ({ kind: "finished" as const, rollout: rollout(`${name}${step}`, step) })),
  { kind: "dropped", id: `b${step}`, reason: "stale" },
  { kind: "taken", step, ids: [`a${step}`, ...(step > 0 ? [`c${step - 1}`] : [])] },
]).flat();

const silent = { segmentBytes: 3000, warn: () => undefined };

async function known(events: AsyncIterable<GatewayEvent> | Iterable<GatewayEvent>, step: number): Promise<unknown> {
  const { waiting, trained, dropped } = await restore(events, step);
  return { waiting: waiting.map(({ id }) => id), trained: trained.toSorted(), dropped: Object.fromEntries(dropped) };
}

async function checkpoints(fs: FileSystem, steps: readonly number[]): Promise<void> {
  await fs.remove("/run/checkpoints");
  for (const step of steps) await fs.makeDirectory(`/run/checkpoints/step-${String(step).padStart(8, "0")}`);
}

async function written(fs: FileSystem, events: readonly GatewayEvent[], done: GatewayEvent[] = []): Promise<void> {
  const journal = await openJournal("/run", true, { ...silent, fs });
  await restore(journal.past, 0);
  for (const event of events) {
    await journal.write(event);
    done.push(event);
  }
  await journal.close();
}

async function knownAfter(fs: FileSystem, step: number): Promise<unknown> {
  const journal = await openJournal("/run", true, { ...silent, fs });
  const match = await known(journal.past, step);
  await journal.close();
  return match;
}

test("a segmented journal returns its entries for every retained checkpoint", async () => {
  for (const steps of [[], [12], [3, 11], [0, 6, 12]]) {
    const fs = memoryFileSystem();
    await checkpoints(fs, steps);
    await written(fs, story);
    for (const step of steps.length === 0 ? [0, 5, 12] : steps)
      expect([step, await knownAfter(fs, step)]).toEqual([step, await known(story, step)]);
  }
});

test("entries trained before the oldest checkpoint and dropped ones take no space", async () => {
  const sizes: number[] = [];
  for (const count of [story.length / 2, story.length]) {
    const fs = memoryFileSystem();
    await checkpoints(fs, [100]);
    await written(fs, story.slice(0, count));
    const [name, ...others] = (await fs.list("/run/gateway")).filter((text) => text.endsWith(".gz"));
    expect(others).toEqual([]);
    sizes.push((await fs.read(`/run/gateway/${name}`)).length);
  }
  const [half = 0, whole = 0] = sizes;
  const finished = JSON.stringify(story.find(({ kind }) => kind === "finished")).length;
  expect(whole - half).toBeLessThan(finished); // of 18 more rollouts
});

test("a kill at any call loses no event that was acknowledged, and invents none", async () => {
  const retained = [1, 3];
  const short = story.slice(0, 45);
  let calls = 0;
  for (let killAt = 1; calls === 0 || killAt <= calls; killAt += 1)
    for (const killed of ["before", "torn", "after"] as const) {
      const inner = memoryFileSystem();
      await checkpoints(inner, retained);
      const done: GatewayEvent[] = [];
      const half = short.slice(0, 20);
      await written(inner, half, done);
      const faulty = faultyFileSystem({ killAt, killed, loseUnsynced: true }, inner);
      await written(faulty, short.slice(20), done).catch(() => undefined);
      if (faulty.calls < killAt) calls = killAt; // it came to its end
      for (const step of retained) {
        const match = await knownAfter(inner, step);
        const possible = [await known(done, step), await known(short.slice(0, done.length + 1), step)];
        expect(possible, `killed ${killed} call ${killAt}`).toContainEqual(match);
      }
    }
  expect(calls).toBeGreaterThan(50);
});

test("a part that moved while the disk failed keeps its name", async () => {
  const inner = memoryFileSystem();
  await checkpoints(inner, [0]);
  let syncs = 0;
  const syncDirectory: FileSystem["syncDirectory"] = async (path) => {
    syncs += 1;
    if (syncs === 4) throw Object.assign(new Error("EIO: made to fail"), { code: "EIO" });
    return inner.syncDirectory(path);
  };
  const warned: string[] = [];
  const fs = { ...inner, syncDirectory };
  const journal = await openJournal("/run", true, { fs, segmentBytes: 3000, warn: (message) => warned.push(message) });
  for (const event of story) await journal.write(event);
  await journal.close();
  expect(warned).toEqual([expect.stringContaining("the gateway's journal continues in one file: ")]);
  expect(await knownAfter(inner, 0)).toEqual(await known(story, 0));
});

test("a journal in one raw file from earlier versions continues; zcat reads the result", async () => {
  const directory = await temporaryFolder();
  const lines = story.map((event) => `${JSON.stringify(event)}\n`);
  await writeFile(join(directory, "gateway.jsonl"), `${lines.join("")}{"kind":"ope`);
  const warned: string[] = [];
  const journal = await openJournal(directory, true, { warn: (message) => warned.push(message) });
  expect(await known(journal.past, 5)).toEqual(await known(story, 5));
  expect(warned).toEqual([expect.stringContaining("1 rows of the gateway's journal are damaged")]);
  await journal.write({ kind: "opened", id: "later" });
  await journal.close();
  expect(await readdir(join(directory, "gateway"))).toEqual(["000001-000001.jsonl.gz"]);
  // Of several members, as `zcat` reads them.
  const text = gunzipSync(await readFile(join(directory, "gateway/000001-000001.jsonl.gz"))).toString("utf8");
  const events = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as GatewayEvent);
  expect(events.filter(({ kind }) => kind === "finished")).not.toHaveLength(0);
  const again = await openJournal(directory, true, { fs: nodeFileSystem, warn: () => undefined });
  expect((await restore(again.past, 5)).dropped.map(([id]) => id)).toContain("later");
  await again.close();
});

test("a damaged part costs its own rollouts and is said", async () => {
  const fs = memoryFileSystem();
  await checkpoints(fs, [0]);
  await written(fs, story);
  const [packed] = (await fs.list("/run/gateway")).filter((name) => name.endsWith(".gz"));
  const bytes = await fs.read(`/run/gateway/${packed}`);
  await fs.write(`/run/gateway/${packed}`, bytes.slice(0, bytes.length >> 1));
  const warned: string[] = [];
  const { past } = await openJournal("/run", true, { fs, warn: (message) => warned.push(message) });
  await restore(past, 0);
  expect(warned).toEqual([expect.stringContaining("are damaged; their rollouts are lost")]);
});

test("an event that could not be written is not there, and tears none of those behind it", async () => {
  const fs = memoryFileSystem();
  let fails = false;
  const failing: FileSystem = {
    ...fs,
    append: async (path, data) => {
      if (!fails) return fs.append(path, data);
      fails = false;
      await fs.append(path, data.slice(0, data.length >> 1));
      throw Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" });
    },
  };
  const journal = await openJournal("/run", false, { fs: failing, warn: () => undefined });
  const finished = (id: string): GatewayEvent => ({ kind: "finished", rollout: rollout(id, 0) });
  await journal.write(finished("before"));
  fails = true;
  const refused = journal.write(finished("refused")).then(
    () => "written",
    ({ message }: Error) => message,
  );
  await journal.write(finished("behind")); // its client is told that it is kept
  expect(await refused).toContain("ENOSPC");
  await journal.close();
  const warnings: string[] = [];
  const resumed = await openJournal("/run", true, { fs, warn: (message) => warnings.push(message) });
  const { waiting } = await restore(resumed.past, 0);
  expect(waiting.map(({ id }) => id)).toEqual(["before", "behind"]);
  expect(warnings).toEqual([]);
  await resumed.close();
});
