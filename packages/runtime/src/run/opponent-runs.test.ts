import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Tokenizer } from "@laconic/core";
import { runFiles } from "@laconic/trainer";
import { tinyTokenizer } from "@laconic/trainer/testing";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import type { Progress } from "../progress.ts";
import type { RunPolicy } from "./policy-models.ts";
import { findOpponentRuns, opponentFolders } from "./other-runs.ts";

async function runs(): Promise<string> {
  const folder = await temporaryFolder();
  for (const name of ["shared", "own", "none"]) await mkdir(join(folder, name));
  for (const name of ["shared", "own"]) await writeFile(join(folder, name, runFiles.manifest), "{}");
  return folder;
}

const tokenizer = tinyTokenizer;

const policyOf = (folder: string, agents: readonly string[]): RunPolicy => ({
  source: { kind: "folder", path: folder },
  tokenizer,
  agents,
  folder,
});

const policiesIn: Parameters<typeof findOpponentRuns>[3] = (directory) =>
  Promise.resolve({
    step: 3,
    policies: directory.endsWith("shared")
      ? { policy: policyOf("shared-weights", ["pro", "contra", "judge"]) }
      : { pro: policyOf("pro-weights", ["pro"]), contra: policyOf("contra-weights", ["contra"]) },
  });

const silent = {} as Progress;
const find = (
  names: readonly string[],
  sides: readonly (readonly string[])[] = [["pro"], ["contra"]],
  other: Tokenizer = tokenizer,
): ReturnType<typeof findOpponentRuns> => findOpponentRuns({ runs: names, sides }, () => other, silent, policiesIn);

test("agents of both sides use their own policy, the named one, or the only one", async () => {
  const folder = await runs();
  const [shared, own, pro] = ["shared", "own", "own/pro"].map((text) => join(folder, text)) as [string, string, string];
  const match = await find([shared, own, pro]);
  expect(Object.keys(match)).toEqual([shared, own, pro]);
  const folders = Object.values(match).map(({ pro: one, contra }) => [one?.folder, contra?.folder]);
  expect(folders).toEqual([
    ["shared-weights", "shared-weights"],
    ["pro-weights", "contra-weights"],
    ["pro-weights", "pro-weights"],
  ]);
  expect(opponentFolders({ [own]: match[own] as NonNullable<(typeof match)[string]> })).toEqual({
    [`opponent ${own} as pro`]: "pro-weights",
    [`opponent ${own} as contra`]: "contra-weights",
  });
  // An agent that the other run does not know: its only policy speaks.
  expect((await find([shared], [["stranger"]]))[shared]?.["stranger"]?.folder).toBe("shared-weights");
});

test("rejects an invalid run, a missing policy or agent, and other tokens by name", async () => {
  const folder = await runs();
  const at = (name: string): string => join(folder, name);
  const refused = async (
    names: readonly string[],
    reason: RegExp,
    ...more: [string[][]?, Tokenizer?]
  ): Promise<void> => {
    const error: unknown = await find(names.map(at), ...more).catch((input: unknown) => input);
    expect(error).toFailWith("config_invalid", { key: "train.opponents.runs" });
    expect((error as Error).message).toMatch(reason);
  };
  await refused(["none"], /^train\.opponents\.runs: .*none is neither a run folder nor RUN\/POLICY$/u);
  await refused(["own/judge"], /has no policy "judge"; it has pro, contra$/u);
  await refused(["own"], /own has the policies pro, contra, but none for "judge"; choose one, such as .*own\/pro/u, [
    ["judge"],
  ]);
  const other: Tokenizer = { ...tokenizer, decode: (tokens) => `${tokenizer.decode(tokens)}!` };
  await refused(["shared"], /another tokenizer than the agent "pro"/u, [["pro"]], other);
  const longer: Tokenizer = { ...tokenizer, vocabularySize: tokenizer.vocabularySize + 1 };
  await refused(["shared"], /another tokenizer/u, [["pro"]], longer);
});
