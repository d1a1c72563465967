import { nearestName } from "@laconic/core";
import { wordTable } from "@laconic/core/checks";
import { settingPaths, trainConfigSchema } from "@laconic/trainer";

/** What other trainers call a setting, in small letters without separators. */
export const synonyms: Readonly<Record<string, string>> = wordTable({
  batchsize: "train.problemsPerStep",
  trainbatchsize: "train.problemsPerStep",
  perdevicetrainbatchsize: "train.problemsPerStep",
  beta: "train.objective.kl.coefficient",
  klcoef: "train.objective.kl.coefficient",
  cliprange: "train.objective.clip",
  gpu: "device",
  groupsize: "train.episodesPerProblem",
  numgenerations: "train.episodesPerProblem",
  loss: "train.objective.name",
  algorithm: "train.objective.name",
  lr: "train.optimizer.learningRate.peak",
  learningrate: "train.optimizer.learningRate.peak",
  warmup: "train.optimizer.learningRate.warmUpSteps",
  warmupsteps: "train.optimizer.learningRate.warmUpSteps",
  maxcompletionlength: "train.limits.maxTokens",
  maxnewtokens: "train.limits.maxTokens",
  maxsteps: "train.steps",
  modelname: "model",
  modelnameorpath: "model",
  numepochs: "train.epochs",
  numtrainepochs: "train.epochs",
  numiterations: "train.epochs",
  rank: "lora.rank",
});

/**
 * The setting that an unknown name means: what another trainer calls so, else a setting of this last name, else the nearest name.
 * @param paths - settings outside `train`
 */
export function nearestSetting(name: string, paths: readonly string[]): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/gu, "");
  const synonym = synonyms[plain(name)];
  if (synonym !== undefined) return synonym;
  const trainPaths = settingPaths(trainConfigSchema)
    .filter((path) => !path.includes("*"))
    .map((path) => `train.${path}`);
  const depth = (path: string): number => path.split(".").length;
  const known = [...trainPaths, ...paths].toSorted((a, b) => depth(a) - depth(b));
  const lastNames = known.map((path) => plain(path.slice(path.lastIndexOf(".") + 1)));
  const near = lastNames.includes(plain(name)) ? plain(name) : nearestName(plain(name), lastNames);
  return near === undefined ? undefined : known[lastNames.indexOf(near)];
}
