import { createHash, type Hash } from "node:crypto";
import { datasetInfo, listFiles, modelInfo } from "@huggingface/hub";
import { LaconicError, present } from "@laconic/core";
import { commitPattern } from "./cache-layout.ts";
import { checkFileName } from "./file-names.ts";
import type { HubConnection } from "./hub-connection.ts";

/** Content id of the hub and the cache: sha256 for large files, git blob sha1 for small ones. */
export type ContentId = { readonly kind: "sha256" | "git"; readonly hex: string };

/** Null unless the text is a sha256 or sha1 in lower-case hexadecimal. */
export function contentId(kind: ContentId["kind"], hex: string): ContentId | null {
  return (kind === "git" ? /^[0-9a-f]{40}$/ : /^[0-9a-f]{64}$/).test(hex) ? { kind, hex } : null;
}

export function startHash({ kind }: ContentId, bytes: number): Hash {
  return kind === "sha256" ? createHash("sha256") : createHash("sha1").update(`blob ${bytes}\0`);
}

export interface RepositoryFile {
  readonly name: string;
  readonly bytes: number;
  readonly content: ContentId;
  /** Address relative to the endpoint. */
  readonly path: string;
}

export interface Designation {
  readonly type: "model" | "dataset";
  readonly repo: string;
}

function pathOf({ type, repo }: Designation, commit: string, name: string): string {
  const root = `${type === "dataset" ? "datasets/" : ""}${repo}/resolve/${commit}`;
  return `${root}/${name.split("/").map(encodeURIComponent).join("/")}`;
}

export async function resolveCommit(
  hub: HubConnection,
  { type, repo }: Designation,
  revision: string,
): Promise<string> {
  const query = { name: repo, revision, additionalFields: ["sha" as const], ...parameters(hub) };
  const { sha } = await wellFormed(hub, repo, async () => (type === "model" ? modelInfo(query) : datasetInfo(query)));
  if (typeof sha !== "string" || !commitPattern.test(sha)) throw hub.unavailable("the response has no commit", repo);
  return sha;
}

/**
 * Files of a commit in the hub's order.
 * @throws LaconicError `input_invalid` for an unsafe name, `checkpoint_missing`, `hub_unavailable`
 */
export async function listCommit(
  hub: HubConnection,
  { type, repo }: Designation,
  commit: string,
): Promise<RepositoryFile[]> {
  return wellFormed(hub, repo, async () => {
    const files: RepositoryFile[] = [];
    const query = { repo: { type, name: repo }, revision: commit, recursive: true, ...parameters(hub) };
    for await (const { type: kind, path, size, oid, lfs } of listFiles(query)) {
      if (kind !== "file") continue;
      const content = lfs ? contentId("sha256", lfs.oid) : contentId("git", oid ?? "");
      const bytes = lfs?.size ?? size;
      if (content === null || !Number.isSafeInteger(bytes) || bytes < 0)
        throw hub.unavailable(`${JSON.stringify(path)} is listed without size or hash`, repo);
      files.push({ name: checkFileName(path), bytes, content, path: pathOf({ type, repo }, commit, path) });
    }
    return files;
  });
}

function parameters({ endpoint, token, fetch }: HubConnection) {
  return { hubUrl: endpoint, fetch, ...present({ accessToken: token }) };
}

/** Replaces errors of the library, which may contain an address. */
async function wellFormed<T>(hub: HubConnection, repo: string, body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    if (LaconicError.is(error)) throw error;
    throw hub.unavailable("the response is malformed", repo);
  }
}
