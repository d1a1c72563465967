import { datasetInfo, listFiles, modelInfo } from "@huggingface/hub";
import { LaconicError } from "@laconic/core";
import { commitPattern } from "./cache-layout.ts";
import { contentId, type ContentId } from "./content-hash.ts";
import { checkFileName } from "./file-names.ts";
import { unavailable, type HubConnection } from "./hub-connection.ts";

/** A file of a revision. */
export interface RepositoryFile {
  readonly name: string;
  readonly bytes: number;
  readonly content: ContentId;
}

/** What to ask a hub for. */
export interface Designation {
  readonly type: "model" | "dataset";
  readonly repo: string;
}

/**
 * The commit that a branch, tag or commit means now.
 * @throws LaconicError `checkpoint_missing`, `hub_unavailable`
 */
export async function resolveCommit(
  hub: HubConnection,
  { type, repo }: Designation,
  revision: string,
): Promise<string> {
  const query = { name: repo, revision, additionalFields: ["sha" as const], ...parameters(hub) };
  const { sha } = await understood(hub, repo, async () => (type === "model" ? modelInfo(query) : datasetInfo(query)));
  if (typeof sha !== "string" || !commitPattern.test(sha)) throw unavailable(hub.server, repo, "it names no commit");
  return sha;
}

/**
 * The files of a commit, in the hub's order.
 * @throws LaconicError `input_invalid` for a name that could leave its folder, `checkpoint_missing`, `hub_unavailable`
 */
export async function listCommit(
  hub: HubConnection,
  { type, repo }: Designation,
  commit: string,
): Promise<RepositoryFile[]> {
  return understood(hub, repo, async () => {
    const files: RepositoryFile[] = [];
    const query = { repo: { type, name: repo }, revision: commit, recursive: true, ...parameters(hub) };
    for await (const { type: kind, path, size, oid, lfs } of listFiles(query)) {
      if (kind !== "file") continue;
      const content = lfs ? contentId("sha256", lfs.oid) : contentId("git", oid ?? "");
      const bytes = lfs?.size ?? size;
      if (content === null || !Number.isSafeInteger(bytes) || bytes < 0)
        throw unavailable(hub.server, repo, `it lists ${JSON.stringify(path)} without size or hash`);
      files.push({ name: checkFileName(path), bytes, content });
    }
    return files;
  });
}

function parameters({ endpoint, token, fetch }: HubConnection): {
  hubUrl: string;
  fetch: typeof fetch;
  accessToken?: string;
} {
  return { hubUrl: endpoint, fetch, ...(token !== undefined && { accessToken: token }) };
}

/** The library's own errors may quote an address; ours say what was asked. */
async function understood<T>(hub: HubConnection, repo: string, body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    if (LaconicError.is(error)) throw error;
    throw unavailable(hub.server, repo, "its answer is malformed");
  }
}
