import { expect, test } from "vitest";
import { restore } from "./journal.ts";
import { episodeOf } from "./rollout-episode.ts";
import type { FinishedRollout, GatewayEvent } from "./rollout-registry.ts";

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

test("what was trained stays trained, what waited waits, what was open or of lost weights is lost", async () => {
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
