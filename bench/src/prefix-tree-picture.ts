// The prefix tree of a real step, for the picture in docs/benchmarks: a plain debate of three agents and two rounds about one question, eight
// episodes, under a random model of one layer with replies of at most 24 tokens. Prints what docs/benchmarks/prefix-tree-step.jsonl holds.
//
// npx tsx bench/src/prefix-tree-picture.ts > docs/benchmarks/prefix-tree-step.jsonl && npx vitest run test/docs-pictures -u
// needs LACONIC_DATA, and LACONIC_PYTHON with tokenizers.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prefixForest } from "@laconic/engine";
import { readOptions } from "./options.ts";
import { batchesOf, stepsOf } from "./prefix-tree/recorded-step.ts";
import type { Block, TreePicture } from "./prefix-tree/tree-picture.ts";
import { benchmarkModel, laconicTrain } from "./prefix-tree/train-here.ts";

readOptions({ options: {} });

const folder = await mkdtemp(join(tmpdir(), "laconic-bench-"));
try {
  const model = await benchmarkModel(folder);
  const run = join(folder, "run");
  const failed = laconicTrain("agent-gspo", run, [
    `model=${model}`,
    "task.team=plain-debate",
    "task.replyTokens=24",
    "train.steps=1",
    "train.problemsPerStep=1",
    "train.episodesPerProblem=8",
    "train.minibatches=1",
    "train.evaluation.problems=4",
  ]);
  if (failed !== null) throw new Error(failed);
  const [sequences = []] = stepsOf(run).flatMap(batchesOf);
  process.stdout.write(`${JSON.stringify(pictureOf(sequences))}\n`);
} finally {
  await rm(folder, { recursive: true });
}

/** The forest's segments as blocks: lines are the sequences, in the order in which the depth-first forest meets their ends. */
function pictureOf(sequences: readonly (readonly number[])[]): TreePicture {
  // What is passed is all but the last token of a sequence: one more stands for it.
  const { offsets, parents, positions, ends, tokens } = prefixForest(
    sequences.map((promptTokens) => ({ promptTokens: [...promptTokens], completionTokens: [0] })),
  );
  const own = Array.from(parents, (_, segment) => ends.filter((end) => end === segment).length);
  const lines = [...own];
  for (let segment = parents.length - 1; segment >= 0; segment--) {
    const parent = parents[segment] as number;
    if (parent >= 0) lines[parent] = (lines[parent] as number) + (lines[segment] as number);
  }
  let line = 0;
  const blocks = Array.from(parents, (_, segment): Block => {
    const [start, end] = [offsets[segment] as number, offsets[segment + 1] as number];
    const from = positions[start] as number;
    const block = { from, to: from + end - start, line, lines: lines[segment] as number };
    line += own[segment] as number;
    return block;
  });
  return {
    title: "A debate: 3 agents, 2 rounds, 8 episodes",
    sequences: sequences.length,
    tokens: sequences.reduce((sum, each) => sum + each.length, 0),
    rows: tokens.length,
    blocks,
  };
}
