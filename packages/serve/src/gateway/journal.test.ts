import { expect, test } from "vitest";
import { restore } from "./journal.ts";
import { episodeOf, type FinishedRollout } from "./rollout-record.ts";
import type { GatewayEvent } from "./rollout-registry.ts";

const rollout = (id: string, first: number, last = first): FinishedRollout => ({
  id,
  group: "g",
  reward: { team: { task: 1 } },
  kinds: {},
  steps: [first, last],
  episode: episodeOf([], { problemId: "g", answer: null }),
});

const events: GatewayEvent[] = [
  { kind: "opened", id: "trained" },
  { kind: "finished", rollout: rollout("trained", 0) },
  { kind: "taken", step: 0, ids: ["trained"] },
  { kind: "finished", rollout: rollout("again", 1) },
  { kind: "taken", step: 1, ids: ["again"] }, // the checkpoint of step 2 was never written
  { kind: "opened", id: "open" },
  { kind: "finished", rollout: rollout("waits", 1) },
  { kind: "finished", rollout: rollout("ahead", 1, 2) },
  { kind: "finished", rollout: rollout("old", 0) },
  { kind: "dropped", id: "old", reason: "stale" },
];

test("trained groups remain trained, waiting ones wait, open ones and those with lost weights are dropped", async () => {
  const { waiting, trained, dropped } = await restore(events, 1);
  expect(waiting.map(({ id }) => id)).toEqual(["again", "waits"]);
  expect(trained).toEqual(["trained"]);
  expect(Object.fromEntries(dropped)).toEqual({ old: "stale", ahead: "lost", open: "lost" });
});

test("from the beginning nothing is trained, and later weights are lost", async () => {
  const { waiting, trained, dropped } = await restore(events, 0);
  expect(waiting.map(({ id }) => id)).toEqual(["trained"]);
  expect(trained).toEqual([]);
  expect(dropped.filter(([, reason]) => reason === "lost").map(([id]) => id)).toEqual([
    "again",
    "waits",
    "ahead",
    "open",
  ]);
});

test("groups that a resume dropped remain dropped when a later one reads the journal at a later step", async () => {
  for (const first of [0, 1]) {
    const resumed = await restore(events, first);
    const later = [...events, ...resumed.corrections];
    expect(await restore(later, first)).toMatchObject({ waiting: resumed.waiting, corrections: [] });
    const { waiting, trained, dropped } = await restore(later, 9);
    expect(waiting.map(({ id }) => id).toSorted()).toEqual(resumed.waiting.map(({ id }) => id).toSorted());
    expect(trained).toEqual(resumed.trained);
    expect(Object.fromEntries(dropped)).toEqual(Object.fromEntries(resumed.dropped));
  }
});

test("a group that waited again and was then trained is trained", async () => {
  const { corrections } = await restore(events, 1);
  const later: GatewayEvent[] = [...events, ...corrections, { kind: "taken", step: 1, ids: ["again"] }];
  expect((await restore(later, 2)).trained.toSorted()).toEqual(["again", "trained"]);
  const { waiting } = await restore(later, 1);
  expect(waiting.map(({ id }) => id)).toEqual(["again", "waits"]);
});
