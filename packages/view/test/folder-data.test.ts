import { appendFileSync } from "node:fs";
import { appendFile, cp, mkdir, readdir, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { gzipMember } from "@laconic/core/run-folder";
import { nodeFileSystem } from "@laconic/trainer";
import { episodeMembers, writeEpisodeMembers, type EpisodeMember } from "@laconic/trainer/testing";
import { folderData, type RunSummary, type ViewData, type ViewEvent } from "@laconic/view";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { EpisodeIndex, tellingEpisodes } from "../src/data/episode-index.ts";
import { RunPlace } from "../src/runs/run-place.ts";
import { manualEvery, openedData, pageOf, settings, smallDuel, smallRun } from "./small-runs.ts";

function splitAt(file: Buffer, ends: readonly number[]): Buffer[] {
  return ends.map((end, i) => file.subarray(ends[i - 1] ?? 0, end));
}

function lineEnds(file: Buffer): number[] {
  return [...file.entries()].flatMap(([index, byte]) => (byte === 10 ? [index + 1] : []));
}

const only = async (data: ViewData): Promise<RunSummary> => (await data.runs())[0] as RunSummary;

async function openedRun(): Promise<{ readonly data: ViewData; readonly run: string; readonly id: string }> {
  const folder = await temporaryFolder();
  await smallRun(join(folder, "a"));
  const data = await openedData([folder]);
  return { data, run: join(folder, "a"), id: (await only(data)).id };
}

describe("found folders", () => {
  test("are runs, a sweep's children and benches, and foreign ones have a reason", async () => {
    const folder = await temporaryFolder();
    await smallRun(join(folder, "one"), { settings: { ...settings, steps: 1 } });
    await cp(join(folder, "one"), join(folder, "sweep/runs/budget-6-0"), { recursive: true });
    await writeFile(join(folder, "sweep/sweep.json"), "[]");
    await mkdir(join(folder, ".hidden"));
    await cp(join(folder, "one"), join(folder, ".hidden/run"), { recursive: true });
    const foreign: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      model: { "config.json": `{"model_type":"llama"}`, "model.safetensors": "x" },
      torn: { "config.json": `{"train":{"steps":` },
      trl: { "trainer_state.json": "{}" },
      latest: { "config.json": `{"steps":3}` },
    };
    for (const [name, files] of Object.entries(foreign)) {
      await mkdir(join(folder, name));
      for (const [file, text] of Object.entries(files)) await writeFile(join(folder, name, file), text);
    }
    const head = { step: 1, kind: "step", version: 9, isComplete: true } as const;
    await writeEpisodeMembers(nodeFileSystem, join(folder, "latest"), [{ head, content: {} }]);
    const runs = await (await openedData([folder])).runs();
    const by = new Map(runs.map((run) => [run.folder, run]));
    expect([...by.keys()].toSorted()).toEqual(["latest", "model", "one", "sweep/runs/budget-6-0", "torn", "trl"]);
    expect([by.get("one")?.state, by.get("sweep/runs/budget-6-0")?.name]).toEqual(["done", "budget-6-0"]);
    const reasons = ["latest", "model", "torn", "trl"].map((name) => [by.get(name)?.state, by.get(name)?.reason]);
    expect(reasons).toEqual([
      ["foreign", "episodes.jsonl.gz has version 9, this program reads 2"],
      ["foreign", "config.json is not a run's: the number of steps is missing"],
      ["foreign", "config.json is not a JSON object, is larger than 8 MiB, or nests more than 100 levels deep"],
      ["foreign", "config.json not found: not a run, or one that has not begun"],
    ]);
    expect(new Set(runs.map(({ id }) => id)).size).toBe(6);
    await expect(folderData({ folders: [join(folder, "nowhere")] })).rejects.toFailWith("config_invalid");
  });

  test("no folder or file link leads out of the opened folder", async () => {
    const folder = await temporaryFolder();
    await smallRun(join(folder, "out/secret"), { settings: { ...settings, steps: 1 } });
    await mkdir(join(folder, "in"));
    await cp(join(folder, "out/secret"), join(folder, "in/run"), { recursive: true });
    await symlink(join(folder, "out/secret"), join(folder, "in/away"));
    await symlink(join(folder, "in/run"), join(folder, "in/again"));
    await rm(join(folder, "in/run/metrics.jsonl"));
    await symlink(join(folder, "out/secret/metrics.jsonl"), join(folder, "in/run/metrics.jsonl"));
    const data = await openedData([join(folder, "in")]);
    const runs = await data.runs();
    expect(runs.map(({ folder: location, step }) => [location, step])).toEqual([["run", 0]]);
    expect((await data.run(runs[0]?.id as string))?.metrics).toEqual([]);
  });

  test("notable conversations come from first and last evaluation, with the steps between", async () => {
    const { data, id } = await openedRun();
    const { rows } = await pageOf(data, id, { kind: "evaluation" });
    const [first, last] = [0, 4].map((step) => rows.filter((row) => row.step === step));
    const told = (await data.telling(id)) ?? [];
    expect(told.length).toBeGreaterThan(0);
    expect(told).toMatchObject(tellingEpisodes(first ?? [], last ?? []));
    for (const { way, episode } of told)
      expect(way.map(({ step, problem }) => [step, problem])).toEqual([0, 2, 4].map((step) => [step, episode.problem]));
    expect(await data.telling("nobody")).toBeNull();
  });

  test("a bench's table counts arriving samples", async () => {
    const folder = await temporaryFolder();
    const sample = (problem: string, more: object): string =>
      `${JSON.stringify({ benchmark: "gsm8k", method: "debate", problem, repeat: 0, config: "c", status: "scored", correct: true, promptTokens: 30, completionTokens: 10, ...more })}\n`;
    await writeFile(join(folder, "bench.json"), "{}");
    await writeFile(
      join(folder, "samples.jsonl"),
      sample("1", { status: "error", correct: null }) +
        sample("1", {}) +
        sample("2", { correct: false, completionTokens: 30 }),
    );
    const data = await openedData([folder]);
    const [table] = await data.benches();
    expect(table?.rows).toEqual([
      {
        method: "debate",
        benchmark: "gsm8k",
        questions: 2,
        seeds: 1,
        accuracy: 0.5,
        interval: [expect.closeTo(0.0945, 4), expect.closeTo(0.9055, 4)],
        tokens: 50,
        usd: null,
      },
    ]);
    await appendFile(join(folder, "samples.jsonl"), `${sample("3", { repeat: 1 })}{"benchmark":"gs`);
    expect((await data.benches())[0]?.rows[0]).toMatchObject({ questions: 3, seeds: 2, accuracy: 2 / 3 });
    expect(await data.runs()).toEqual([]);
  });
});

describe("a growing run", () => {
  test("reads only new complete rows, notifies listeners and leaks nothing", async () => {
    const folder = await temporaryFolder();
    const [from, to] = [join(folder, "from"), join(folder, "runs/live")];
    await smallRun(from);
    await mkdir(to, { recursive: true });
    await cp(join(from, "config.json"), join(to, "config.json"));
    let alive = true;
    await writeFile(join(to, "LOCK"), JSON.stringify({ pid: 999_999, host: hostname(), claim: "x" }));
    const { every, running } = manualEvery();
    const data = await openedData([join(folder, "runs")], { every, isAlive: () => alive });
    const events: ViewEvent[] = [];
    const { id, state, step } = await only(data);
    expect([state, step, running.size]).toEqual(["running", 0, 0]);
    const stops = [data.listen((event) => events.push(event)), data.listen(() => undefined)];
    const tick = async (): Promise<ViewEvent[]> => {
      for (const work of running) work();
      await data.runs(); // behind it in the queue
      return events.splice(0).filter(({ type }) => type === "run");
    };
    const names = ["episodes.jsonl.gz", "metrics.jsonl", "timing.jsonl", "evaluations.jsonl"];
    const rows = await Promise.all(
      names.map(async (name) => {
        const file = await readFile(join(from, name));
        if (!name.endsWith(".gz")) return splitAt(file, lineEnds(file));
        return splitAt(
          file,
          await writeEpisodeMembers(nodeFileSystem, from, await episodeMembers(nodeFileSystem, from)),
        );
      }),
    );
    await data.run(id);
    await tick();
    const counts: number[] = [];
    for (let i = 0; i < 4; i++) {
      for (const [file, name] of names.entries()) {
        const row = rows[file]?.[i];
        if (!row) continue;
        appendFileSync(join(to, name), row.subarray(0, 60));
        await data.episodes(id, {}); // a row's beginning is none
        appendFileSync(join(to, name), row.subarray(60));
      }
      expect(await tick()).toContainEqual({ type: "run", id, step: i + 1, state: "running" });
      counts.push((await pageOf(data, id)).total);
    }
    // An evaluation of 5, then steps of 6, with an evaluation behind the second.
    expect(counts).toEqual([5, 11, 17, 22]);
    expect((await data.run(id))?.warnings).toEqual([]);
    await rm(join(to, "LOCK"));
    expect(await tick()).toEqual([{ type: "run", id, step: 4, state: "done" }]);
    alive = false;
    for (const stop of stops) stop();
    expect(running.size).toBe(0);
  });

  test("reads a resumed run again", async () => {
    const { data, run, id } = await openedRun();
    const before = await pageOf(data, id, { limit: 100 });
    // As a resume does: rows behind the checkpoint go, by a file that is renamed into the place.
    const members = (await episodeMembers(nodeFileSystem, run)).filter(({ head }) => head.step <= 2);
    await rm(join(run, "episodes.jsonl.gz"));
    await writeEpisodeMembers(nodeFileSystem, run, members);
    for (const name of ["metrics.jsonl", "timing.jsonl"]) {
      const lines = (await readFile(join(run, name), "utf8")).split("\n");
      const retained = lines.filter((line) => line !== "" && (JSON.parse(line) as { step: number }).step <= 2);
      await rm(join(run, name));
      await writeFile(join(run, name), `${retained.join("\n")}\n`);
    }
    const after = await pageOf(data, id, { limit: 100 });
    expect([(await only(data)).step, (await only(data)).state]).toEqual([2, "stopped"]);
    expect(after.rows).toEqual(before.rows.filter((row) => row.step <= 2));
    expect((await data.speech(id))?.steps.map(({ step }) => step)).toEqual([1, 2]);
  });

  test("a conversation cut by a resume is missing, and the next read rereads the file", async () => {
    const folder = join(await temporaryFolder(), "a");
    await smallRun(folder);
    const index = new EpisodeIndex(new RunPlace(folder, folder), { names: [], counts: new Map() });
    await index.readNew();
    const key = index.page({}).rows[0]?.key ?? "";
    expect((await index.episode(key))?.row.key).toBe(key);
    await truncate(join(folder, "episodes.jsonl.gz"), 10);
    expect(await index.episode(key)).toBeNull();
    expect(await index.episode(key)).toBeNull();
    expect(index.damage).toEqual([
      expect.stringMatching(/^episodes.jsonl.gz: row \d+ cannot be read: it no longer exists/u),
    ]);
    await index.readNew();
    expect(index.damage.filter((text) => text.includes("row"))).toEqual([]);
  });

  test("names partial, binary and empty rows and shows the rest", async () => {
    const folder = await temporaryFolder();
    await smallRun(join(folder, "a"));
    const path = (name: string): string => join(folder, "a", name);
    const members = await episodeMembers(nodeFileSystem, path(""));
    const ends = await writeEpisodeMembers(nodeFileSystem, path(""), members);
    const written = splitAt(await readFile(path("episodes.jsonl.gz")), ends);
    const rubbish = Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * 97 + 11) % 256));
    const list = gzipMember(gzipSync("[1]"), { step: 7, kind: "step", version: 2, isComplete: true });
    const file = Buffer.concat([...written.slice(0, 3), rubbish, list, Buffer.from("{}"), ...written.slice(3)]);
    await writeFile(path("episodes.jsonl.gz"), file.subarray(0, -5));
    const data = await openedData([folder]);
    const summary = await only(data);
    expect([summary.state, summary.reason]).toEqual(["half-written", "episodes.jsonl.gz ends in the middle of a step"]);
    expect((await pageOf(data, summary.id)).total).toBe(39 - 5);
    const before = ends[2] as number;
    expect((await data.run(summary.id))?.warnings.filter((warning) => warning.startsWith("episodes"))).toEqual([
      `episodes.jsonl.gz: member 4 is damaged, 3000 bytes from byte ${before} on`,
      `episodes.jsonl.gz: member 6 is damaged, 2 bytes from byte ${before + 3000 + list.length} on`,
      "episodes.jsonl.gz: row 5 cannot be read: it has no episodes",
      "episodes.jsonl.gz ends in the middle of a step",
    ]);
    await writeFile(
      path("metrics.jsonl"),
      (await readFile(path("metrics.jsonl"), "utf8")).split("\n").toSpliced(1, 1).join("\n"),
    );
    expect((await data.run(summary.id))?.warnings).toContain("metrics.jsonl: row 2 is of step 3: step 2 is lost");
  });
});

describe("recorded messages", () => {
  async function withWords(
    folder: string,
    change: (content: { utterances: { text: string }[] }) => void,
  ): Promise<void> {
    const run = join(folder, "a");
    const [step] = (await episodeMembers(nodeFileSystem, run)).filter(({ head }) => head.kind === "step");
    change((step as EpisodeMember).content as { utterances: { text: string }[] });
    await writeEpisodeMembers(nodeFileSystem, run, [step as EpisodeMember]);
  }

  test("any text is found and returned unchanged: scripts, control characters, a megabyte", async () => {
    const folder = await temporaryFolder();
    await smallRun(join(folder, "a"), { settings: { ...settings, steps: 1 } });
    const texts = [
      "<script>alert(1)</script> ÄRGER",
      "\u202Eevil\u0000\u001b[31m end",
      `${"lorem ".repeat(180_000)}needle`,
      "ZWÖLF\nnadel",
    ];
    await withWords(folder, ({ utterances }) =>
      texts.forEach((text, i) => void ((utterances[2 * i] as { text: string }).text = text)),
    );
    const data = await openedData([folder]);
    const { id } = await only(data);
    const found = async (text: string): Promise<string[]> =>
      (await pageOf(data, id, { text })).rows.map(({ key }) => key);
    expect(await found("ärger")).toEqual(["s1.0"]);
    expect(await found("ALERT(1) ärger")).toEqual(["s1.0"]);
    expect(await found("ärger evil")).toEqual([]);
    expect(await found("\u202Eevil")).toEqual(["s1.1"]);
    expect(await found("lorem")).toEqual(["s1.2"]);
    expect(await found("nadel zwölf")).toEqual(["s1.3"]);
    for (const [i, text] of texts.entries()) expect((await data.episode(id, `s1.${i}`))?.turns[0]?.text).toBe(text);
    const [row] = (await pageOf(data, id, { text: "lorem" })).rows;
    expect(row?.question.length).toBeLessThanOrEqual(200);
  });

  test("an opponent appears at its turns in list and conversation", async () => {
    const folder = await temporaryFolder();
    await smallDuel(join(folder, "a"));
    const data = await openedData([folder]);
    const { id } = await only(data);
    const { rows } = await pageOf(data, id, { limit: 100 });
    const training = rows.filter(({ kind }) => kind === "training");
    expect(training.length).toBe(24);
    expect(new Set(training.map(({ opponent }) => opponent))).toEqual(new Set(["step-0", "step-2"]));
    const evaluations = rows.filter(({ kind }) => kind === "evaluation");
    expect(evaluations.map(({ opponent }) => opponent)).toEqual(evaluations.map(() => null));
    const sides = new Set<string>();
    for (const { key, opponent } of training) {
      const turns = (await data.episode(id, key))?.turns ?? [];
      expect([turns.length, turns.flatMap((turn) => turn.opponent ?? [])]).toEqual([2, [opponent]]);
      sides.add(turns.find((turn) => turn.opponent !== null)?.agent ?? "");
      // Nobody is trained on its words.
      for (const turn of turns) expect(turn.advantage === null).toBe(turn.opponent !== null);
    }
    expect(sides).toEqual(new Set(["left", "right"]));
  });

  test("drops the index of the least recently used run", async () => {
    const folder = await temporaryFolder();
    await smallRun(join(folder, "a"));
    await cp(join(folder, "a"), join(folder, "b"), { recursive: true });
    const [small, plain] = [await openedData([folder], { maxBytes: 1 }), await openedData([folder])];
    const ids = (await small.runs()).map(({ id }) => id);
    for (const text of ["a", "b", "c", "aa", "cab", "zzz"])
      for (const id of ids)
        expect([text, await pageOf(small, id, { text })]).toEqual([text, await pageOf(plain, id, { text })]);
    expect(await small.size()).toBeLessThan(await plain.size());
  });
});

test("a closed reader leaves no file open", async () => {
  const folder = await temporaryFolder();
  await smallRun(join(folder, "a"), { settings: { ...settings, steps: 1 } });
  const handles = async (): Promise<number> => (await readdir("/proc/self/fd").catch(() => [])).length;
  const before = await handles();
  const data = await folderData({ folders: [folder] });
  const { id } = await only(data);
  await pageOf(data, id);
  data.listen(() => undefined);
  await data.close();
  expect(await handles()).toBeLessThanOrEqual(before);
});
