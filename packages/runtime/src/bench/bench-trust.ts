import type { BenchConfig, PairConfig } from "@laconic/evaluation/bench";
import type { Progress } from "../progress.ts";
import { checkCode, checkServers, keepMade, madeFolder, openAiServer, type NamedServer } from "../run/check-trust.ts";
import { defaultBaseUrl, namedModel } from "../spending/spending.ts";

type Config = BenchConfig | PairConfig;

/**
 * Refuses to go on with a bench of another machine that runs code or asks servers, unless the command trusts it.
 * @throws LaconicError `config_invalid`
 */
export async function checkBenchTrust(directory: string, config: Config): Promise<void> {
  const made = madeFolder(directory, config);
  await checkCode(made, config);
  await checkServers(made, serversIn(config));
}

/** Remembers that this machine made a bench. */
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
