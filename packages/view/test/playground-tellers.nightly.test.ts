import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { memoryFileSystem } from "@laconic/core/files";
import { createKernels } from "@laconic/engine/wasm";
import { afterAll, describe, expect, test } from "vitest";
import { runFolder } from "../web/playground/worker/archive.ts";
import type { OwnStory, WorkerMessage } from "../web/playground/worker/messages.ts";
import { Session } from "../web/playground/worker/session.ts";
import { firstSettings, settingsIn } from "../web/playground/worker/settings.ts";
import { keepStoryModel, tellersWorld } from "../web/playground/worker/tellers-world.ts";
import { openTeam, type Team } from "../web/playground/worker/team.ts";

const stories = join(import.meta.dirname, "../web/playground/model");
const settings = { ...firstSettings("tellers"), steps: 2, warmStart: 3 };
const own: OwnStory = {
  kind: "story",
  thing: "red ball",
  name: "Lily",
  texts: ["Lily had a red ball.", "Tim wanted a red ball.", "The sun was bright."],
};

test("an address sets only its own level", () => {
  const query = "?level=tellers&seed=4&warmup=20&budget=20&price=9";
  expect(settingsIn(query, "tellers")).toMatchObject({ level: "tellers", seed: 4, warmStart: 20 });
  expect(settingsIn(query, "tellers").steering).toEqual({ kind: "budget", targetTokens: 14 });
  expect(settingsIn(query, "relay")).toEqual(firstSettings("relay"));
});

describe("tellers of the story model", () => {
  const files = memoryFileSystem();
  let team: Team;
  let session: Session;
  let said: WorkerMessage[] = [];

  function heard<Type extends WorkerMessage["type"]>(type: Type): Extract<WorkerMessage, { readonly type: Type }>[] {
    return said.filter((each): each is Extract<WorkerMessage, { readonly type: Type }> => each.type === type);
  }
  const parts = () => ({
    team,
    files,
    environment: {},
    now: () => 0,
    say: (each: WorkerMessage) => void said.push(each),
  });

  afterAll(() => team.close());

  test("accepts the site's copy of the model by its checksums", async () => {
    const weights = new Uint8Array(await readFile(join(stories, "stories260K.bin")));
    const tokens = new Uint8Array(await readFile(join(stories, "tok512.bin")));
    const changed = weights.with(1000, 1 + (weights[1000] ?? 0));
    await expect(keepStoryModel(files, changed, tokens)).rejects.toThrow(/stories260K\.bin: .* SHA-256 b0a507e7ad0f/u);
    await keepStoryModel(files, weights, tokens);
    team = await openTeam(await createKernels(undefined), files, await tellersWorld(files));
    session = new Session(parts(), settings);
  });

  test("a warm start precedes the first step, and one story is followed through training", async () => {
    await session.train(1);
    expect(heard("warm-up").map(({ step, steps }) => [step, steps])).toEqual([1, 2, 3].map((step) => [step, 3]));
    const [{ point, episode } = expect.fail()] = heard("step");
    expect(point.step).toBe(1);
    expect(point.silent?.idle).toBeGreaterThanOrEqual(0);
    const followed = (await session.glimpse()).episode;
    expect(followed).toEqual(episode);
    expect(episode.turns.map(({ agent, knows }) => [agent, knows === undefined])).toEqual([
      ["one", false],
      ["two", false],
      ["three", false],
      ["solver", true],
    ]);
    expect(episode.turns.filter(({ knows }) => knows)).toHaveLength(1);
    expect(episode.turns[0]?.fact).not.toContain("Mom found");
  });

  test("both teams answer a custom story", async () => {
    await session.ask(own, 1);
    expect(heard("asked")).toMatchObject([{ before: { gold: "Lily" }, now: { question: "red ball" } }]);
    for (const [wrong, reason] of [
      [{ ...own, name: "Tom" }, "No text contains Tom"],
      [{ ...own, thing: "Red ball!" }, "expected lower-case words"],
      [{ ...own, texts: ["Lily"] }, "expected two to five"],
    ] as const)
      await expect(session.ask(wrong, 1)).rejects.toThrow(reason);
  });

  test("an aborted warm start begins again", async () => {
    await session.reset({ ...settings, seed: 2, warmStart: 600 });
    said = [];
    const training = session.train(1);
    await expect.poll(() => heard("warm-up").length, { timeout: 60_000 }).toBeGreaterThan(0);
    await session.pause();
    await training;
    expect(heard("failed")).toEqual([]);
    expect(heard("training").at(-1)).toMatchObject({ active: false, step: 0 });
    expect(await files.exists(`${runFolder}/taught`)).toBe(false);
  });
});
