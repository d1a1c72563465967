import { join, resolve } from "node:path";
import { LaconicError } from "@laconic/core";
import { nodeFileSystem, runFiles } from "@laconic/trainer";
import { defaultBaseUrl, namedModel } from "../spending/spending.ts";
import type { Progress } from "../progress.ts";
import type { ActorChoice } from "./chosen-actor.ts";
import { openModelFolder } from "../models/model-folder.ts";
import { runPolicies } from "./run-policies.ts";

/**
 * `hub:OWNER/NAME`, a model folder, another run (its last checkpoint), or `api:NAME@URL`.
 * @throws LaconicError `config_invalid` for a run with several policies, and what opening a model throws
 */
export async function actorChoice(text: string, progress: Progress): Promise<ActorChoice> {
  if (text.startsWith("api:")) {
    const api = namedModel(text.slice("api:".length), defaultBaseUrl(), "actor");
    return { title: `api:${api.model}@${api.baseUrl}`, speaks: { api } };
  }
  if (await nodeFileSystem.exists(join(resolve(text), runFiles.manifest))) return policyOf(resolve(text), progress);
  const { folder, pinned } = await openModelFolder(text, progress);
  return { title: text.startsWith("hub:") || text === "shipped" ? pinned : folder, speaks: { model: pinned } };
}

async function policyOf(directory: string, progress: Progress): Promise<ActorChoice> {
  const { step, policies } = await runPolicies(directory, progress);
  const [only, ...others] = Object.values(policies);
  if (only === undefined || others.length > 0)
    throw new LaconicError(
      "config_invalid",
      `--actor ${directory}: its agents have policies of their own (${Object.keys(policies).join(", ")}), and an actor is one model`,
      { directory },
    );
  const { source, tokenizer } = only;
  return { title: `${directory}, step ${step}`, speaks: { source, tokenizer } };
}
