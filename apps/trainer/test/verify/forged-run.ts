import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { nodeFileSystem } from "@laconic/trainer";
import { episodeMembers } from "@laconic/trainer/testing";
import { verifyRun, type Contradiction, type Stage, type VerifyReport } from "@laconic/verify";
import { afterAll, beforeAll, expect } from "vitest";
import { copyOfRun, editNumbers, remeasure, reseal, type Loose } from "../edited-run.ts";
import { cli, laconic } from "../laconic.ts";

/** Budget that charges from the second step, an active clip, and steps that change every log-prob. */
const words = cli`preset:relay-quickstart train.steps=4 train.problemsPerStep=4 train.episodesPerProblem=4
  train.budget={"targetTokens":14,"learningRate":0.00001}
  train.objective={"name":"gspo","clip":{"low":0.003,"high":0.004}}
  train.optimizer.learningRate={"peak":0.001,"warmUpSteps":0,"decay":"cosine","finalFraction":0.1}
  train.evaluation.problems=60 train.evaluation.every=2 train.checkpoint.every=2`;
export const last = 4;

export const honest: { run: string } = { run: "" };
beforeAll(async () => {
  honest.run = join(await mkdtemp(join(tmpdir(), "laconic-")), "run");
  const { code, err } = await laconic("train", ...words, "--run", honest.run);
  if (code !== 0) throw new Error(err);
});
afterAll(() => rm(dirname(honest.run), { recursive: true, force: true }));

/** Forgeries that the folder alone cannot reveal. */
export const uncovered: readonly string[] = ["metrics", "settings", "weights", "files"];

export type Plant = (run: string) => Promise<unknown>;

/** Forgeries, with all figures and checksums of the folder adjusted. */
export async function forged(plant: Plant): Promise<VerifyReport> {
  const run = await copyOfRun(honest.run);
  await plant(run);
  await remeasure(run);
  await reseal(run);
  return verifyRun(run);
}

export const stagesOf = ({ contradictions }: VerifyReport): Stage[] => [
  ...new Set(contradictions.map(({ stage }) => stage)),
];
export const keysOf = ({ contradictions }: VerifyReport): string[] =>
  contradictions.map(({ key }: Contradiction) => key);

export function episodeOf(content: Loose, index: number): Loose {
  const episode = content.episodes[content.played[index].episode];
  return { ...episode, spoken: episode.utterances.map((i: number) => content.utterances[i]) };
}

export const isRight = ({ task }: Loose): boolean => task === 1;
export const placesOf = (content: Loose, right: boolean): number[] =>
  content.played.flatMap((played: Loose, i: number) => (isRight(played) === right ? [i] : []));

export function logProbsAt(content: Loose, utterance: number): readonly [from: number, count: number] {
  const before = content.utterances.slice(0, utterance).map(({ tokens = [] }: Loose) => tokens.length);
  return [before.reduce((sum: number, count: number) => sum + count, 0), content.utterances[utterance].tokens.length];
}

export function copyEpisode(from: Loose, source: number, to: Loose, index: number, keepsVersion: boolean): void {
  const [taken, replaced] = [from.episodes[from.played[source].episode], to.episodes[to.played[index].episode]];
  replaced.answer = taken.answer;
  replaced.ledger = structuredClone(taken.ledger);
  replaced.utterances.forEach((number: number, i: number) => {
    const other: number = taken.utterances[i];
    let values: number[] = [];
    const [start, count] = logProbsAt(from, other);
    editNumbers(structuredClone(from.sampledLogProbs), (all) => (values = all.slice(start, start + count)));
    const [position, length] = logProbsAt(to, number);
    editNumbers(to.sampledLogProbs, (all) => void all.splice(position, length, ...values));
    const { model } = to.utterances[number];
    to.utterances[number] = { ...structuredClone(from.utterances[other]), ...(!keepsVersion && { model }) };
  });
  to.played[index].task = from.played[source].task;
}

export async function evaluationAt(run: string, step: number): Promise<Loose> {
  const members = await episodeMembers(nodeFileSystem, run);
  return structuredClone(members.find(({ head }) => head.kind === "evaluation" && head.step === step)?.content);
}

export async function changedPlaces(
  run: string,
  right: number,
  wrong: number,
): Promise<readonly [from: Loose, places: number[]]> {
  const [from, to] = [await evaluationAt(run, right), await evaluationAt(run, wrong)];
  const places = placesOf(to, false).filter((index) => isRight(from.played[index]));
  expect(places).not.toEqual([]);
  return [from, places];
}
