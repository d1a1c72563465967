import { runFileRules, runFiles } from "@laconic/core/run-folder";
import { expect, test } from "vitest";
import { checkedNames, clearedNames, traceNames } from "./run-files.ts";

test("every file of a run folder has rules, in the order of the names", () => {
  expect(Object.keys(runFileRules)).toEqual(Object.keys(runFiles));
});

test("users of a run folder derive it from the files", () => {
  const traces = [
    "metrics.jsonl",
    "timing.jsonl",
    "episodes.jsonl.gz",
    "evaluations.jsonl",
    "dropped.jsonl",
    "changes.jsonl",
  ];
  expect(traceNames.all).toEqual(traces);
  expect([...traceNames.byStep]).toEqual(["metrics.jsonl", "timing.jsonl"]);
  expect([...traceNames.timed]).toEqual(["timing.jsonl"]);
  expect(clearedNames[0]).toBe("config.json");
  expect(clearedNames.toSorted()).toEqual(
    [
      "config.json",
      "warnings.jsonl",
      "test.json",
      "test-episodes.jsonl.gz",
      "probe.json",
      "samplers.jsonl",
      "beginning",
      "opponents",
      ...traces,
    ].toSorted(),
  );
  expect(checkedNames.objects).toEqual(["manifest.json", "environment.json", "test.json", "probe.json"]);
  expect(checkedNames.ends).toEqual(["metrics.jsonl", "evaluations.jsonl"]);
  expect(checkedNames.rows).toEqual(["evaluations.jsonl", "warnings.jsonl"]);
  expect(checkedNames.files).not.toContain("checkpoints");
});
