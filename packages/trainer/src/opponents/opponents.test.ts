import type { RunSpecOptions } from "../spec/run-spec.ts";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { randomFromSeed } from "@laconic/core";
import type { LanguageModel, Matchmaking, MatchRequest, UnknownRecord, Utterance } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { refusal } from "../../../../test/refusal.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import type { TrainedPolicy, TrainingParts } from "../spec/parts.ts";
import type { StepRecord } from "../run/step-record.ts";
import { matchmakingCases, tinyDuelParts, tinyParts, tinyRun, tinyTokenizer } from "../testing/index.ts";
import { matchmakings } from "../spec/learning.ts";
import { trainTiny, type Trained } from "../../test/train-tiny.ts";
import { matchesOf } from "./opponent-pool.ts";
import { selfAt, withSelf, type OpponentState } from "./games.ts";

const settings = {
  seed: 3,
  steps: 6,
  problemsPerStep: 4,
  episodesPerProblem: 6,
  groupBy: "prompt+agent",
  advantage: { estimator: "group", scale: "none" },
  optimizer: { learningRate: { peak: 0.3, warmUpSteps: 0 } },
  evaluation: { every: 0, problems: 6, transcripts: 0 },
  checkpoint: { every: 2, keep: 2 },
};
const opponents = { sides: [["left"], ["right"]], latest: 0, every: 2, keep: 2 };

const play = (parts: RunSpecOptions, extra: UnknownRecord = {}): Promise<Trained> =>
  trainTiny(parts, { ...settings, objective: { name: "gspo" }, prices: {}, opponents, ...extra });

const refused = async (parts: RunSpecOptions, extra: object): Promise<string> =>
  (await refusal(play(parts, { ...extra }))).message;

const spokenBy = ({ scored }: StepRecord): (string | undefined)[] =>
  scored.map(({ episode }) => episode.utterances.find(({ opponent }) => opponent !== undefined)?.opponent);

function saying(letter: string): LanguageModel {
  return {
    id: letter,
    complete: async () => ({
      text: letter,
      finishReason: "stop",
      usage: { promptTokens: 1, completionTokens: 2, counted: "model" },
      model: { id: letter, weightVersion: 0 },
    }),
  };
}

const always: Matchmaking = () => "runs/rock";
const rock = { "runs/rock": { left: saying("a"), right: saying("a") } };

describe("games against opponents", () => {
  test("an opponent plays a whole side of a group, under its name, and is never trained on", async () => {
    const { records } = await play(tinyDuelParts());
    for (const record of records) {
      const [{ batch }] = record.learners as [StepRecord["learners"][number]];
      expect(batch.utterances.some(({ opponent }) => opponent !== undefined)).toBe(false);
      expect(batch.utterances).toHaveLength(24); // one of two in each of 4 x 6 episodes
      record.scored.forEach(({ episode, group }) => {
        const side = group % 2 === 0 ? "left" : "right";
        const theirs = episode.utterances.filter(({ opponent }) => opponent !== undefined);
        expect(theirs.map(({ agent }) => agent)).toEqual([side]);
        for (const { agent, opponent, model, turn } of episode.utterances) {
          expect(episode.ledger.calls.find((call) => call.turn === turn)?.opponent).toBe(opponent);
          expect(model.id).toBe(agent === side ? opponent : "both");
        }
      });
      const names = spokenBy(record);
      for (const group of [0, 1, 2, 3]) expect(new Set(names.slice(group * 6, group * 6 + 6)).size).toBe(1);
    }
    // At most two past selves: the first weights, then those of steps 2 and 4.
    const pools = [["step-0"], ["step-0", "step-2"], ["step-2", "step-4"]];
    for (const [step, record] of records.entries())
      expect(pools[Math.floor(step / 2)]).toEqual(expect.arrayContaining(spokenBy(record)));
  });

  test("a past self is frozen: its texts are likely only under the weights of its step", async () => {
    const parts = tinyDuelParts();
    const { records } = await play(parts, { opponents: { ...opponents, keep: 1, every: 100 } });
    // The first weights are uniform, independent of later training.
    const logProbs = records
      .flatMap(({ scored }) => scored.flatMap(({ episode }) => episode.utterances))
      .flatMap(({ opponent, trace }) => (opponent === undefined ? [] : (trace?.logProbs ?? [])));
    expect(logProbs.length).toBeGreaterThan(6 * 24);
    for (const logProb of logProbs) expect(logProb).toBeCloseTo(-Math.log(tinyTokenizer.vocabularySize), 9);
    const last = records.at(-1)?.scored.flatMap(({ episode }) => episode.utterances) ?? [];
    const own = last.filter(({ opponent }) => opponent === undefined);
    expect(own.some(({ trace }) => (trace?.logProbs[0] ?? -9) > -1)).toBe(true);
  });

  test("one opponent per episode, and a share of games against the latest self in which all learn", async () => {
    const { records, rows } = await play(tinyDuelParts(), {
      steps: 8,
      opponents: { ...opponents, latest: 0.5, draw: "episode", every: 1, keep: 8 },
    });
    const names = records.flatMap((each) => spokenBy(each));
    const share = names.filter((name) => name === undefined).length / names.length;
    expect(share).toBeGreaterThan(0.4);
    expect(share).toBeLessThan(0.6);
    const latest = rows.reduce((sum, row) => sum + (row["opponents/latest_frac"] ?? 0), 0);
    expect(latest / rows.length).toBeCloseTo(share, 12);
    const last = records.at(-1) as StepRecord;
    expect(new Set(spokenBy(last).slice(0, 6)).size).toBeGreaterThan(2);
    const trained = last.learners[0]?.batch.utterances.length ?? 0;
    expect(trained).toBe(24 + spokenBy(last).filter((name) => name === undefined).length);
  });

  test("learns to beat another run, reports its win rate, and prices only its own tokens", async () => {
    const beaten = { ...opponents, runs: ["runs/rock"], against: ["runs/rock"], matchmaking: always };
    const parts = { ...tinyDuelParts(), opponents: rock };
    const played = await play(parts, { opponents: beaten, steps: 30, prices: { tokens: 0.01 } });
    const { rows, records, before, after } = played;
    expect(before.opponents?.["runs/rock"]?.winRate).toBeLessThan(0.8);
    expect(after.opponents?.["runs/rock"]).toMatchObject({ games: 6, winRate: 1 }); // paper, as rock is all there is
    expect(rows.at(-1)?.["opponents/games/runs/rock"]).toBe(30 * 24);
    const games = records.flatMap(({ scored }) =>
      scored.map(({ agentRewards, group }) => agentRewards.get(group % 2 === 0 ? "right" : "left") ?? 0),
    );
    const won = games.reduce((sum, win) => sum + (win + 1) / 2, 0) / games.length;
    expect(rows.at(-1)?.["opponents/win_rate/runs/rock"]).toBeCloseTo(won, 12);
    const tokensOf = (utterances: readonly Utterance[]): number =>
      utterances.reduce((sum, { writtenTokens }) => sum + writtenTokens, 0);
    for (const { measured, episode } of records.flatMap(({ scored }) => scored)) {
      const own = episode.utterances.filter(({ opponent }) => opponent === undefined);
      expect(measured.costs["tokens"]).toBe(tokensOf(own));
      expect(measured.costs["turns"]).toBe(own.filter(({ silent }) => !silent).length);
    }
    const priced = { ...beaten, priced: ["tokens"] };
    const asked = await play(parts, { opponents: priced, steps: 1, prices: { tokens: 0.01 } });
    for (const { measured, episode } of asked.records.flatMap(({ scored }) => scored)) {
      expect(measured.costs["tokens"]).toBe(tokensOf(episode.utterances));
      expect(measured.costs["turns"]).toBeLessThan(2);
    }
  });

  test("opponents of two policies learn nothing in their game, even if a policy then has no step", async () => {
    const { records, rows } = await play(tinyDuelParts("own"), { problemsPerStep: 1, episodesPerProblem: 4 });
    records.forEach(({ learners }, step) => {
      const counts = Object.fromEntries(learners.map(({ learner, batch }) => [learner.name, batch.utterances.length]));
      expect(counts).toEqual(step % 2 === 0 ? { left: 0, right: 4 } : { left: 4, right: 0 });
    });
    expect(rows.every((row) => Object.values(row).every(Number.isFinite))).toBe(true);
  });
});

describe("a run that is stopped", () => {
  test("resumes with equal pool, results and draws, to equal bytes", async () => {
    const folder = await temporaryFolder();
    const own = {
      ...settings,
      steps: 9,
      checkpoint: { every: 4, keep: 2 },
      opponents: { ...opponents, every: 1, keep: 3, drop: "beaten", matchmaking: "hard", latest: 0.3 },
    };
    await tinyRun({ directory: join(folder, "whole"), settings: own, parts: tinyDuelParts() });
    for (const stopAt of [2, 7]) {
      const directory = join(folder, `cut-${stopAt}`);
      // After a kill, only rows and opponents' weights are newer than the checkpoint of step 4.
      const learningRate = (step: number): number => {
        if (step >= 2 * stopAt) throw new Error("killed");
        return 0.3;
      };
      const dies = { ...tinyDuelParts(), settings: { optimizer: { learningRate } } };
      await expect(tinyRun({ directory, settings: own, parts: dies })).rejects.toThrow("killed");
      const resume = "where-possible";
      await tinyRun({ directory, settings: own, parts: tinyDuelParts(), resume });
      for (const file of [
        "metrics.jsonl",
        "episodes.jsonl.gz",
        "evaluations.jsonl",
        "checkpoints/step-00000009/state.json",
        "checkpoints/step-00000009/table.json",
      ])
        expect(await readFile(join(directory, file), "latin1"), `${file}, stopped at ${stopAt}`).toEqual(
          await readFile(join(folder, "whole", file), "latin1"),
        );
      expect(await readdir(join(directory, "opponents"))).toEqual(await readdir(join(folder, "whole", "opponents")));
    }
    const state = JSON.parse(
      await readFile(join(folder, "whole", "checkpoints", "step-00000009", "state.json"), "utf8"),
    ) as { opponents: OpponentState[] };
    expect(state.opponents).toHaveLength(3);
    expect(state.opponents.at(-1)).toMatchObject({ name: "step-9", games: 0 });
    expect((await readdir(join(folder, "whole", "opponents"))).length).toBeLessThanOrEqual(6);
  });

  test("is rejected with the folder's name if an opponent's weights are damaged", async () => {
    const folder = await temporaryFolder();
    const directory = join(folder, "run");
    const own = { ...settings, opponents };
    await tinyRun({ directory, settings: { ...own, steps: 2 }, parts: tinyDuelParts() });
    await rm(join(directory, "opponents", "step-2", "table.json"));
    const adjustable = { steps: "" };
    await expect(
      tinyRun({ directory, settings: own, parts: tinyDuelParts(), resume: true, adjustable }),
    ).rejects.toThrow(/opponents\/step-2: the weights of an opponent are missing or damaged/u);
  });
});

describe("matchmaking", () => {
  const states: OpponentState[] = [
    { ...selfAt(0), games: 98, points: 98 },
    { ...selfAt(10), games: 98, points: 49 },
    { ...selfAt(20), games: 98, points: 0 },
  ];
  const place = { step: 0, problems: 3000, episodes: 1, random: randomFromSeed(1) };
  const shares = (rule: Matchmaking, latest = 0): number[] => {
    const matches = matchesOf(rule, { latest, draw: "group", sides: [["left"]] }, states, place);
    const names = Array.from({ length: 3000 }, (_, group) => matches(group, 0)?.opponent);
    return states.map(({ name }) => names.filter((each) => each === name).length / 3000);
  };

  test("weighs by win rates as its name says", () => {
    // Rates with one additional draw: 98.5 of 99, 1/2, 0.5 of 99.
    const rates = [98.5 / 99, 0.5, 0.5 / 99];
    const expected = (weight: (x: number) => number): number[] => {
      const weights = rates.map(weight);
      return weights.map((each) => each / weights.reduce((sum, w) => sum + w, 0));
    };
    const close = (found: readonly number[], wanted: readonly number[]): void =>
      found.forEach((share, i) => expect(Math.abs(share - (wanted[i] as number))).toBeLessThan(0.03));
    const hard = expected((x) => (1 - x) ** 2);
    const even = expected((x) => x * (1 - x));
    close(shares(matchmakings.uniform), [1 / 3, 1 / 3, 1 / 3]);
    close(shares(matchmakings.hard), hard);
    close(shares(matchmakings.even), even);
    close(shares(matchmakings.uniform, 0.7), [0.1, 0.1, 0.1]);
  });

  for (const [name, rule] of Object.entries(matchmakings))
    for (const { name: claim, run } of matchmakingCases) test(`${name} ${claim}`, () => run(() => rule));

  test("a custom matchmaker gets pool and results, and is named if it chooses no opponent", async () => {
    const seen: MatchRequest[] = [];
    const newest: Matchmaking = (request) => {
      seen.push(request);
      return request.pool.at(-1)?.name ?? "";
    };
    const { rows } = await play(tinyDuelParts(), { opponents: { ...opponents, matchmaking: newest } });
    const last = seen.at(-1) as MatchRequest;
    expect(last.pool).toMatchObject([2, 4].map((step) => ({ name: `step-${step}`, step })));
    expect(last.pool[0]).toMatchObject({ games: 48, winRate: rows[3]?.["opponents/win_rate/step-2"] });
    const lost = (): string => "nobody";
    await expect(play(tinyDuelParts(), { opponents: { ...opponents, matchmaking: lost } })).rejects.toThrow(
      'step 1: the matchmaking lost gave "nobody", expected a name of the pool: step-0',
    );
  });
});

test.each([
  ["oldest", ["step-20", "step-30"]],
  ["beaten", ["step-0", "step-30"]],
  ["spread", ["step-0", "step-30"]],
] as const)("the rule %s lets go", (drop, left) => {
  const beaten = [
    { ...selfAt(0), games: 4, points: 1 },
    { ...selfAt(20), games: 4, points: 4 },
  ];
  expect(withSelf(beaten, selfAt(30), { keep: 2, drop, every: 10 }).map(({ name }) => name)).toEqual(left);
  const run: OpponentState = { name: "runs/x", step: null, games: 0, points: 0 };
  const withRun = withSelf([selfAt(0), run], selfAt(10), { keep: 1, drop, every: 10 });
  expect(withRun.map(({ name }) => name)).toEqual(["step-10", "runs/x"]);
  const all = [10, 20, 30, 40, 50, 60, 70, 80].reduce(
    (pool, step) => withSelf(pool, selfAt(step), { keep: 4, drop: "spread", every: 10 }),
    [selfAt(0)],
  );
  expect(all.map(({ step }) => step)).toEqual([0, 40, 60, 80]);
});

test.each<[UnknownRecord, RegExp]>([
  [{ sides: [["middle"]] }, /^opponents\.sides: the team has no agent "middle"; it has left, right/u],
  [{ sides: [["left"], ["left"]] }, /the agent "left" is named twice/u],
  [{ sides: [["left", "right"]] }, /is all who learn/u],
  [{ keep: 0 }, /^opponents\.keep: /u],
  [{ latest: 1 }, /^opponents\.latest: /u],
  [{ kep: 3 }, /^opponents\.kep: unknown setting; did you mean opponents\.keep\?/u],
  [{ matchmaking: "fair" }, /^opponents\.matchmaking: /u],
  [{ runs: ["runs/x"] }, /^opponents\.runs: the run runs\/x is not part of this training/u],
  [{ runs: ["step-4"] }, /^opponents\.runs: step-4 is a reserved name/u],
  [{ against: ["runs/x"] }, /^opponents\.against: "runs\/x" not found/u],
  [{ priced: ["words"] }, /^opponents\.priced: unknown cost "words"/u],
])("opponents with %j are refused by name", async (extra, said) => {
  expect(await refused(tinyDuelParts(), { opponents: { ...opponents, ...extra } })).toMatch(said);
});

test.each([
  [{ opponents: { latest: 0.5 } }, /^opponents\.sides: /u],
  [{ asynchronous: {} }, /^asynchronous: plays games before/u],
  [{ tree: { mode: "aligned", gamma: 1, stopAbove: null }, groupBy: "tree-node" }, /^tree: /u],
  [{ opponents: { ...opponents, draw: "episode" }, advantage: { estimator: "greedy" } }, /./u],
])("%j is refused by name", async (extra, said) => {
  expect(await refused(tinyDuelParts(), extra)).toMatch(said);
});

test("a policy that would never learn, an agent that does not, and parts without their setting are refused", async () => {
  const one = { opponents: { ...opponents, sides: [["left"]] } };
  const never = /^opponents\.latest: is 0 .* the policy left would never learn/u;
  expect(await refused(tinyDuelParts("own"), one)).toMatch(never);
  expect((await play(tinyDuelParts(), { ...one, steps: 1 })).steps).toBe(1);
  const parts = tinyParts("star");
  const frozen = {
    ...parts,
    policies: { policy: { ...(parts.policies["policy"] as TrainedPolicy), agents: ["solver"] } },
    frozen: { hint: saying("a") },
  } as TrainingParts;
  const hint = { opponents: { ...opponents, sides: [["hint"]] } };
  expect(await refused(frozen, hint)).toMatch(/the agent "hint" does not learn/u);
  const opened = { ...tinyDuelParts(), opponents: rock };
  expect(await refused(opened, {})).toMatch(/the run runs\/rock is opened but not named/u);
});
