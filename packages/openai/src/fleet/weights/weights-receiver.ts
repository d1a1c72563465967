import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { tryParseJson } from "@laconic/core/json";
import { optionCheck } from "@laconic/core/checks";
import { isSameSecret, makeFolders, moveFile, readBytes, syncFolder } from "@laconic/core/platform";
import { chunkCodings, unpackChunk } from "./chunk-coding.ts";
import {
  chunkIn,
  digestOf,
  manifestSchema,
  manifestOf,
  readChunk,
  safeName,
  withFile,
  type ChunkPlace,
  type WeightsFile,
  type WeightsManifest,
} from "./manifest.ts";

/** Options of `WeightsReceiver`. */
export interface WeightsReceiverOptions {
  /** Folder with one subfolder per version, on the inference server's disk. */
  readonly folder: string;
  /** Without it anyone who reaches the port can write to the folder. */
  readonly apiKey?: string;
  /** Bytes of a version, and of all drafts together. Default 1 TiB. */
  readonly maxBytes?: number;
}

const checkOptions = optionCheck<WeightsReceiverOptions>()("WeightsReceiver", "folder apiKey maxBytes");

class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface Draft {
  readonly manifest: WeightsManifest;
  readonly missing: Map<string, ChunkPlace>;
}

const manifestName = "manifest.json.part";
const maxManifestBytes = 1 << 26;
/** Max drafts at once: one for each policy of a few runs. */
const maxDrafts = 64;
const keyOf = ({ file, chunk }: ChunkPlace) => `${file}/${chunk}`;

/**
 * Receives versions of weights over HTTP into a folder. A version appears under its name when it is complete. Until
 * then it is a draft, which a later attempt continues, also after a restart.
 *
 * | request | answer |
 * | --- | --- |
 * | `GET /weights` | names of versions and drafts |
 * | `PUT /weights/NAME`, a manifest | the folder, whether the base is present, missing chunks |
 * | `PUT /weights/NAME/FILE/CHUNK`, bytes | 204; 422 if they do not match the manifest |
 * | `POST /weights/NAME` | the folder, once all is complete; else 409 |
 * | `DELETE /weights/NAME` | 204 |
 */
export class WeightsReceiver {
  readonly #options: WeightsReceiverOptions;
  readonly #folder: string;
  readonly #drafts = new Map<string, Draft>();
  /** Serializes requests per version, except for chunks. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(options: WeightsReceiverOptions) {
    checkOptions(options);
    this.#options = options;
    this.#folder = resolve(options.folder);
  }

  /** Handler for any Fetch API server. Never rejects. */
  readonly handler = async (request: Request): Promise<Response> => {
    try {
      const answer = await this.#answer(request);
      return answer === null ? new Response(null, { status: 204 }) : Response.json(answer);
    } catch (error) {
      const status = error instanceof Refusal ? error.status : 500;
      return Response.json({ error: (error as Error).message }, { status });
    }
  };

  async #answer(request: Request): Promise<object | null> {
    this.#authorize(request);
    const [root, name, file, chunk, ...more] = new URL(request.url).pathname.split("/").slice(1);
    if (root !== "weights" || more.length > 0) throw new Refusal(404, "path not found");
    if (name === undefined) return { names: await this.#names() };
    if (!safeName.test(name)) throw new Refusal(400, "name: expected letters, digits, ., _ and -, not ending in .part");
    const { method } = request;
    if (file !== undefined) {
      if (method !== "PUT") throw new Refusal(405, "expected PUT");
      await this.#take(name, { file, chunk: Number(chunk) }, request);
      return null;
    }
    if (method === "PUT") {
      const parsed = manifestSchema.safeParse(
        tryParseJson(new TextDecoder().decode(await bytesOf(request, maxManifestBytes))),
      );
      if (!parsed.success) throw new Refusal(400, `invalid manifest: ${parsed.error.issues[0]?.message}`);
      // Serialized, because all drafts share the space.
      return this.#inTurn("", () => this.#inTurn(name, () => this.#begin(name, parsed.data)));
    }
    if (method === "POST") return this.#inTurn(name, () => this.#finish(name));
    if (method !== "DELETE") throw new Refusal(405, "expected PUT, POST or DELETE");
    return this.#inTurn(name, () => this.#remove(name));
  }

  /** Renames first, so that a partly removed version never appears. */
  async #remove(name: string): Promise<null> {
    this.#drafts.delete(name);
    await rm(this.#draftPath(name), { recursive: true, force: true });
    if (await isFolder(this.#path(name))) {
      await moveFile(this.#path(name), this.#draftPath(name));
      await syncFolder(this.#folder);
      await rm(this.#draftPath(name), { recursive: true, force: true });
    }
    return null;
  }

  #authorize({ headers }: Request): void {
    const { apiKey } = this.#options;
    if (apiKey === undefined) return;
    if (!isSameSecret(headers.get("authorization") ?? "", `Bearer ${apiKey}`))
      throw new Refusal(401, "invalid API key");
  }

  async #names(): Promise<string[]> {
    await makeFolders(this.#folder);
    const files = await readdir(this.#folder);
    return [...new Set(files.map((name) => name.replace(/\.part$/u, "")))].filter((name) => safeName.test(name));
  }

  async #begin(name: string, manifest: WeightsManifest): Promise<object> {
    const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
    const { maxBytes = 2 ** 40 } = this.#options;
    if (bytes > maxBytes) throw new Refusal(413, `${bytes} bytes exceed the limit of ${maxBytes}`);
    const base = manifest.base !== null && (await isFolder(this.#path(manifest.base)));
    if (await isFolder(this.#path(name))) {
      const { files } = await manifestOf(this.#path(name), manifest.chunkBytes);
      if (JSON.stringify(files) === JSON.stringify(manifest.files))
        return { folder: this.#path(name), base, whole: true, missing: [] };
      throw new Refusal(409, `${name} exists with other content`);
    }
    const others = await this.#otherDrafts(name);
    if (others.length >= maxDrafts || others.reduce((sum, value) => sum + value, bytes) > maxBytes)
      throw new Refusal(507, `${others.length} incomplete uploads leave no space; delete one`);
    const draft = await this.#draft(name, manifest);
    return { folder: this.#path(name), base, whole: false, missing: [...draft.missing.values()] };
  }

  async #otherDrafts(name: string): Promise<number[]> {
    await makeFolders(this.#folder);
    const drafts = (await readdir(this.#folder)).filter((text) => text.endsWith(".part") && text !== `${name}.part`);
    return Promise.all(
      drafts.map(async (draft) => {
        const folder = join(this.#folder, draft);
        const sizes = (await readdir(folder)).map(async (file) => (await stat(join(folder, file))).size);
        return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
      }),
    );
  }

  async #draft(name: string, manifest: WeightsManifest): Promise<Draft> {
    const folder = this.#draftPath(name);
    const text = JSON.stringify({ ...manifest, base: null });
    const before = await readFile(join(folder, manifestName), "utf8").catch(() => null);
    if (before !== text) await rm(folder, { recursive: true, force: true });
    await makeFolders(folder);
    await writeFile(join(folder, manifestName), text);
    const missing = new Map<string, ChunkPlace>();
    for (const file of manifest.files)
      await withFile(join(folder, file.name), "a+", async (handle) => {
        await handle.truncate(file.bytes);
        for (const [chunk, sha256] of file.chunks.entries()) {
          const length = lengthOf(manifest, file, chunk);
          const bytes = before === text ? await readChunk(handle, chunk * manifest.chunkBytes, length) : null;
          const location = { file: file.name, chunk };
          if (!bytes || digestOf(bytes) !== sha256) missing.set(keyOf(location), location);
        }
      });
    const draft = { manifest, missing };
    this.#drafts.set(name, draft);
    return draft;
  }

  async #take(name: string, chunkPlace: ChunkPlace, request: Request): Promise<void> {
    const draft = this.#drafts.get(name);
    if (!draft) throw new Refusal(409, `send the manifest of ${name} first`);
    const { manifest } = draft;
    const file = manifest.files.find((item) => item.name === chunkPlace.file);
    const sha256 = file?.chunks[chunkPlace.chunk];
    if (!file || sha256 === undefined) throw new Refusal(404, `${name} has no chunk ${keyOf(chunkPlace)}`);
    const coding = chunkCodings.find((item) => item === (request.headers.get("x-laconic-coding") ?? "plain"));
    if (!coding) throw new Refusal(400, "unknown coding");
    const length = lengthOf(manifest, file, chunkPlace.chunk);
    const body = await bytesOf(request, length);
    const { base, chunkBytes } = manifest;
    const isDelta = coding === "delta" && base !== null;
    const from = join(this.#path(base ?? name), file.name);
    const before = isDelta ? await chunkIn(from, chunkPlace.chunk, manifest).catch(() => null) : null;
    const bytes = await unpackChunk(body, coding, length, before).catch(() => null);
    if (bytes?.length !== length || digestOf(bytes) !== sha256)
      throw new Refusal(422, `chunk ${keyOf(chunkPlace)} does not match the manifest: damaged or truncated`);
    await withFile(join(this.#draftPath(name), file.name), "r+", (handle) =>
      handle.write(bytes, 0, length, chunkPlace.chunk * chunkBytes),
    );
    draft.missing.delete(keyOf(chunkPlace));
  }

  async #finish(name: string): Promise<object> {
    if (await isFolder(this.#path(name))) return { folder: this.#path(name) };
    const draft = this.#drafts.get(name);
    if (!draft) throw new Refusal(409, `send the manifest of ${name} first`);
    if (draft.missing.size > 0) throw new Refusal(409, `${draft.missing.size} chunks of ${name} are missing`);
    const folder = this.#draftPath(name);
    await rm(join(folder, manifestName), { force: true });
    const { files } = await manifestOf(folder, draft.manifest.chunkBytes);
    if (JSON.stringify(files) !== JSON.stringify(draft.manifest.files)) {
      this.#drafts.delete(name);
      throw new Refusal(422, `the files of ${name} do not match the manifest`);
    }
    // Synced first: after a power loss a renamed file could have missing bytes.
    for (const file of files) await withFile(join(folder, file.name), "r+", (handle) => handle.sync());
    await syncFolder(folder);
    await moveFile(folder, this.#path(name));
    this.#drafts.delete(name);
    return { folder: this.#path(name) };
  }

  async #inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(name) ?? Promise.resolve()).then(work, work);
    this.#turns.set(name, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(name) === turn) this.#turns.delete(name);
    }
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }

  #draftPath(name: string): string {
    return `${this.#path(name)}.part`;
  }
}

function lengthOf({ chunkBytes }: WeightsManifest, { bytes }: WeightsFile, chunk: number): number {
  return Math.min(chunkBytes, bytes - chunk * chunkBytes);
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

function bytesOf({ body }: Request, maxBytes: number): Promise<Uint8Array> {
  return readBytes(body, { maxBytes }, (reason) => new Refusal(413, reason));
}
