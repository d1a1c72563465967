import { resolve } from "node:path";
import type { Baseline } from "@laconic/baselines";
import {
  checkBoard,
  type Board,
  type OwnBenchValues,
  type BenchConfig,
  type PairConfig,
} from "@laconic/evaluation/bench";
import { isModuleText, partsOfFileText, type Reference } from "../resolver/reference.ts";
import { resolveReference } from "../resolver/load-source.ts";
import { checkSourceInputs, fromFolder, inFolder, sourceInputs, sourcesOf } from "../resolver/run-sources.ts";
import type { Progress } from "../progress.ts";
import { checkCode, checkServers, keepMade, madeFolder, openAiServer, type NamedServer } from "../run/check-trust.ts";
import { defaultBaseUrl, namedModel } from "../spending/spending.ts";

/**
 * Opens the custom files in `--methods` and `--benchmarks`.
 * @throws LaconicError `config_invalid` with file and export of an invalid method or benchmark
 */
export async function userDefinedBenchValues(
  methods: readonly string[],
  boards: readonly string[],
  directory: string,
): Promise<OwnBenchValues> {
  const opened = {
    methods: await Promise.all(
      referencesAmong(methods).map(async (source) => ({
        name: (await openMethod(source)).name,
        reference: source,
      })),
    ),
    boards: await Promise.all(
      referencesAmong(boards).map(async (source) => {
        const { name, problems } = await openBoard(source);
        return { name, reference: source, questions: problems.length };
      }),
    ),
  };
  return { ...inFolder(directory, opened), sources: sourceInputs(directory, await sourcesOf(opened)) };
}

/** Whether an argument is a module; `NAME=RUN` is always a run folder. */
function isFileWord(word: string): boolean {
  return isModuleText(word) && !/^[^./\\=]+=/u.test(word);
}

/** Removes references to files from a list of names. */
export function withoutFiles(names: readonly string[]): string[] {
  return names.filter((word) => !isFileWord(word));
}

/** Opens the methods again. @throws LaconicError `checkpoint_mismatch` with a changed file */
export async function openOwnMethods(ownBenchValues: OwnBenchValues, directory: string): Promise<Baseline[]> {
  await checkSourceInputs(directory, "bench", ownBenchValues.sources);
  return Promise.all(fromFolder(directory, ownBenchValues).methods.map((method) => openMethod(method.reference)));
}

export function openOwnBoards(ownBenchValues: OwnBenchValues, directory: string): Promise<Board[]> {
  return Promise.all(fromFolder(directory, ownBenchValues).boards.map((board) => openBoard(board.reference)));
}

function referencesAmong(names: readonly string[]): Reference[] {
  return names.filter(isFileWord).map((word) => {
    const { file, export: name } = partsOfFileText(word);
    return { file: resolve(file), export: name };
  });
}

async function openMethod(of: Reference): Promise<Baseline> {
  return (await resolveReference(of, "method", {})) as Baseline;
}

async function openBoard(of: Reference): Promise<Board> {
  return checkBoard((await resolveReference(of, "board", {})) as Board, of.file);
}

type Config = BenchConfig | PairConfig;

/**
 * Refuses to resume another machine's bench that runs code or calls servers, without trust.
 * @throws LaconicError `config_invalid`
 */
export async function checkBenchTrust(directory: string, config: Config): Promise<void> {
  const made = madeFolder(directory, config);
  await checkCode(made, config);
  await checkServers(made, serversIn(config));
}

export function keepBenchMade(directory: string, config: Config, progress: Progress): Promise<void> {
  return keepMade(madeFolder(directory, config), config, serversIn(config), progress);
}

function serversIn(config: Config): NamedServer[] {
  const { roleModels = {}, judge = null, actor = null }: Partial<BenchConfig> = "own" in config ? config : {};
  const keys = (role: string): string[] => [
    "OPENAI_API_KEY",
    `OPENAI_API_KEY_${role.toUpperCase().replaceAll("-", "_")}`,
  ];
  return [
    ...(config.baseUrl === null ? [] : [openAiServer(config.baseUrl)]),
    ...(judge ? [openAiServer(judge.baseUrl, keys("judge"))] : []),
    ...Object.entries(roleModels).map(([role, { baseUrl }]) => openAiServer(baseUrl, keys(role))),
    ...(actor?.startsWith("api:")
      ? [openAiServer(namedModel(actor.slice("api:".length), defaultBaseUrl(), "actor").baseUrl)]
      : []),
  ];
}
