import { existsSync } from "node:fs";
import { readdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { cli, expectRefused, laconic, outputOf } from "../../../test/laconic.ts";
import { parseAppConfig } from "@laconic/runtime";
import { temporaryFolder } from "../../../../../test/temporary-folder.ts";

const stories = join(process.env["LACONIC_DATA"] ?? "", "stories260k");

let location = "";
beforeEach(async () => {
  location = await temporaryFolder();
  vi.stubEnv("XDG_CACHE_HOME", join(location, "user"));
  onTestFinished(() => void vi.unstubAllEnvs());
});

interface Side {
  readonly accuracy: number;
  readonly tokens: number;
}
type States = Readonly<Record<"before" | "afterWarmStart" | "after", Side>>;
const [known, unseen] = ["known/scene", "name/1-2"] as const;
type Result = States &
  Readonly<Record<typeof known | typeof unseen, States>> & { readonly states: Record<string, string> };

const short = cli`train.problemsPerStep=2 train.episodesPerProblem=2 train.evaluation.problems=12 workers=1
  train.checkpoint.every=1`;
const warmStart = ["warmStart.steps=3", "warmStart.batch=4"];
const run = (name: string): string => join(location, name);

async function trained(...words: readonly string[]): Promise<Result & { readonly err: string }> {
  const { code, out, err } = await laconic("train", ...words, "--json");
  expect([code, err]).toEqual([0, expect.any(String)]);
  return { ...(JSON.parse(out) as Result), err };
}

describe.skipIf(!existsSync(join(stories, "config.json")))("a supervised warm start (needs LACONIC_DATA)", () => {
  test("reports three states on known and unseen problems, keeps them on resume, and survives a move", async () => {
    const words = ["preset:story-tellers", ...short, "--seed", "1"];
    const first = await trained(...words, ...warmStart, "train.steps=1", "--run", run("a"));
    expect(Object.keys(first.states)).toEqual(["before", "afterWarmStart", "after"]);
    expect(first.states["before"]).toBe("the model before 3 steps of warm start on owners");
    for (const own of [first, first[known], first[unseen]])
      expect([own.before.tokens > 0, own.afterWarmStart.tokens > 0, own.after.tokens > 0]).toEqual([true, true, true]);
    expect(first.afterWarmStart).not.toEqual(first.before);
    // A model folder without the optimizer's state.
    expect((await readdir(join(run("a"), "taught"))).toSorted()).toEqual([
      "config.json",
      "generation_config.json",
      "model.safetensors",
      "tokenizer.json",
      "tokenizer_config.json",
      "warm-start.json",
    ]);

    // The same model, trained without a warm start, begins where `before` says.
    const bare = await trained(...words, "warmStart=null", "train.steps=1", "--run", run("bare"));
    expect(bare).not.toHaveProperty("afterWarmStart");
    expect([bare.before, bare[known].before, bare[unseen].before]).toEqual([
      first.before,
      first[known].before,
      first[unseen].before,
    ]);

    await rename(run("a"), run("moved"));
    const on = await trained("--resume", run("moved"), "train.steps=2");
    expect(on.err).not.toContain("warm start on owners, before training");
    const began = ({ before, afterWarmStart, states, ...groups }: Result): unknown => ({
      before,
      afterWarmStart,
      known: { ...groups[known], after: 0 },
      unseen: { ...groups[unseen], after: 0 },
      states: { ...states, after: "" },
    });
    expect(began(on)).toEqual(began(first));
    expect(JSON.parse(await readFile(join(run("moved"), "config.json"), "utf8"))).toMatchObject({
      model: "run:taught",
      warmStart: { name: "owners", steps: 3, batch: 4, seed: "1", model: stories },
    });
    const ls = (await laconic("view", "ls", location)).out;
    expect(ls).toMatch(/^moved .* (?:[\d.]+ % -> ){2}[\d.]+ % /mu);
    await outputOf("eval", run("moved"), "--limit", "4", "--json");
    const verified = await laconic("verify", run("moved"));
    expect([verified.code, verified.out]).toEqual([3, expect.stringContaining("as far as covered")]);

    // A second run can reuse the warm-started model; a different warm start must not overwrite it.
    const again = ["train.steps=1", "--run", run("b")];
    const reply = (await laconic("train", ...words, ...warmStart, ...again)).err;
    expect(reply).toContain("3 steps of warm start on owners, unchanged");
    await expectRefused(
      ["train", ...words, "warmStart.steps=4", "warmStart.batch=4", ...again],
      "with another model or warm start; choose another",
    );
  });

  test("skips a second equal warm start and rejects a different one", async () => {
    const start = ["preset:story-tellers", `model=${stories}`, ...short, ...warmStart, "train.steps=1"];
    await outputOf("train", ...start, "--run", run("taught-first"));
    const folder = join(run("taught-first"), "taught");
    const words = ["preset:story-tellers", `model=${folder}`, ...short, "train.steps=1", "--seed", "2"];
    const { code, out, err } = await laconic("train", ...words, ...warmStart, "--run", run("a"));
    expect([code, err.includes("before the training")]).toEqual([0, false]);
    expect(out).toMatch(
      /^states {4}before the warm start -> after 3 steps of warm start on owners -> after 1 steps?$/mu,
    );
    expect(out).toMatch(
      /^ {2}name\/1-2: (?:[\d.]+ % -> ){2}[\d.]+ %, (?:[\d.]+ -> ){2}[\d.]+ tokens \(1 problems\)$/mu,
    );
    expect(out).toMatch(
      /^tokens .* per episode, against the model before the warm start .*, after it .* \(budget 14\)$/mu,
    );
    expect(existsSync(join(run("a"), "taught"))).toBe(false);
    await expectRefused(
      ["train", ...words, "warmStart.steps=9", "--run", run("b")],
      /warmStart\.steps is 9, but .* was warm-started with 3/u,
    );
  });
});

test.each([
  [{ task: { name: "relay", level: "one-fact" } }, /warmStart: owners supports only story-tellers/u],
  [{ task: { name: "story-tellers" }, engine: { tinker: { url: "http://x" } } }, /warmStart: needs a local model/u],
  [{ task: { name: "story-tellers" }, warmStart: { name: "owners", form: "digits" } }, /form/u],
])("rejects a warm start without effect: %j", (settings, message) => {
  expect(() => parseAppConfig({ warmStart: { name: "owners" }, ...settings })).toThrow(message);
});

test("a warm start on owners takes 600 steps", () => {
  const config = parseAppConfig({ task: { name: "story-tellers" }, warmStart: { name: "owners" } });
  expect(config.warmStart).toEqual({ name: "owners", steps: 600, batch: 32, seed: "0" });
});
