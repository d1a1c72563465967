import { expect, test } from "vitest";
import { openExemplars } from "../packages/benchmarks/src/exemplars/index.ts";
import { benchmarkNamed, openProblems, openSplit } from "../packages/benchmarks/src/index.ts";
import { Fleet, sglangServer, vllmServer, WeightsReceiver, WeightsSender } from "../packages/openai/src/fleet/index.ts";
import { downloadFile, openRemote, openSnapshot } from "../packages/hub/src/index.ts";
import { fromAiSdk, toAiSdk } from "../packages/openai/src/ai-sdk/index.ts";
import { Limiter, openAiModel } from "../packages/openai/src/index.ts";
import { createSandbox } from "../packages/sandbox/src/index.ts";
import { completionHandler, createGateway } from "../packages/serve/src/index.ts";
import { tensorBoardSink, wandbSink } from "../packages/trainer/src/sinks/index.ts";
import { TinkerClient, tinkerEngine } from "../packages/tinker/src/index.ts";
import { exportPage, folderData, openViewer } from "../packages/view/src/index.ts";

// Options that are misspelt, as JavaScript passes them, and the key that each of them means.
const calls: readonly (readonly [name: string, call: (options: never) => unknown, stray: string, meant: string])[] = [
  ["openAiModel", openAiModel, "base_url", "baseUrl"],
  ["fromAiSdk", (options) => fromAiSdk({} as never, options), "onIgnore", "onIgnored"],
  ["toAiSdk", (options) => toAiSdk({} as never, options), "Tokenizer", "tokenizer"],
  ["Limiter", (options) => new Limiter(options), "maximum", "max"],
  ["server", vllmServer, "apikey", "apiKey"],
  ["server", sglangServer, "allowHttp", "allowPlainHttp"],
  ["Fleet", (options) => new Fleet(options), "concurency", "concurrency"],
  ["WeightsReceiver", (options) => new WeightsReceiver(options), "api_key", "apiKey"],
  ["WeightsSender", (options) => new WeightsSender(options), "folders", "folder"],
  ["TinkerClient.connect", (options) => TinkerClient.connect(options), "baseURL", "baseUrl"],
  ["tinkerEngine", tinkerEngine, "loraalpha", "loraAlpha"],
  ["openSnapshot", openSnapshot, "Revision", "revision"],
  ["openRemote", openRemote, "tokens", "token"],
  ["downloadFile", downloadFile, "sha", "sha256"],
  ["wandbSink", wandbSink, "projekt", "project"],
  ["tensorBoardSink", tensorBoardSink, "dir", "directory"],
  ["createSandbox", createSandbox, "limit", "limits"],
  ["completionHandler", completionHandler, "host", "hosts"],
  ["createGateway", createGateway, "maxlag", "maxLag"],
  ["openViewer", openViewer, "tokens", "token"],
  ["exportPage", exportPage, "maxbytes", "maxBytes"],
  ["folderData", folderData, "folder", "folders"],
  ["openSplit", (options) => openSplit(benchmarkNamed("gsm8k"), options), "offlin", "offline"],
  ["openProblems", (options) => openProblems("none.jsonl", options), "gradings", "grading"],
  ["openExemplars", (options) => openExemplars({ texts: {} } as never, options), "mirrors", "mirror"],
];

test.each(calls)("%s rejects an unknown option", async (name, call, stray, meant) => {
  const outcome = Promise.resolve().then(() => call({ [stray]: "x" } as never));
  await expect(outcome).rejects.toFailWith(
    "config_invalid",
    new RegExp(`^${name}: unknown option ${stray}; (did you mean ${meant}\\?|use one of: .*\\b${meant}\\b)`, "u"),
  );
});
