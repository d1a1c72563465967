import { copyFile, link, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { LaconicError } from "@laconic/core";
import { backoffMs } from "@laconic/core/async";
import { optionCheck } from "@laconic/core/checks";
import { makeFolders, writing } from "@laconic/core/platform";
import * as z from "zod";
import { systemClock, type FleetClock } from "../clock.ts";
import { Connection, type ConnectionOptions, type HttpReply } from "../servers/connection.ts";
import type { PublishedWeights, SamplingServer } from "../servers/sampling-server.ts";
import { packChunk } from "./chunk-coding.ts";
import { chunkIn, manifestOf, type ChunkPlace, type WeightsManifest } from "./manifest.ts";

/** Options of `WeightsSender`. */
export interface WeightsSenderOptions {
  /** Copies that later versions are compared with. */
  readonly folder: string;
  /** Default 4 MiB. */
  readonly chunkBytes?: number;
  /** Attempts in a row without progress. Default 5. */
  readonly attempts?: number;
  readonly clock?: FleetClock;
}

const checkOptions = optionCheck<WeightsSenderOptions>()("WeightsSender", "folder chunkBytes attempts clock");

/** Bytes sent for a version. */
export interface WeightsSent {
  readonly bytes: number;
  readonly sentBytes: number;
  readonly chunks: number;
}

const begun = z.object({
  folder: z.string().min(1),
  base: z.boolean(),
  whole: z.boolean(),
  missing: z.array(z.object({ file: z.string(), chunk: z.int().min(0) })),
});
const finished = z.object({ folder: z.string().min(1) });
const listed = z.object({ names: z.array(z.string()) });

const chunksAtOnce = 4;
/** A slower receiver may still get the version before the last. */
const basesKept = 2;
const tidyMs = 10_000;

interface Base {
  readonly name: string;
  readonly folder: string;
}

interface Prepared {
  readonly manifest: WeightsManifest;
  readonly baseFolder: string | null;
}

/**
 * Sends weights in chunks with checksums. An interrupted upload continues. Receivers of the previous version get
 * differences.
 */
export class WeightsSender {
  readonly #options: WeightsSenderOptions;
  readonly #prepared = new Map<string, Promise<Prepared>>();
  /** Servers with a shared disk share an upload. */
  readonly #sending = new Map<string, Promise<string>>();
  /** Complete versions of each policy; the newest at the end. */
  readonly #bases = new Map<string, Base[]>();
  readonly #unneeded = new Map<string, Set<Connection>>();
  readonly sent: WeightsSent[] = [];

  constructor(options: WeightsSenderOptions) {
    checkOptions(options);
    this.#options = options;
  }

  /**
   * Sends weights to the receiver over HTTP and loads them from its folder.
   * @param receiver - address of a `WeightsReceiver` on the server's machine
   */
  throughReceiver(server: SamplingServer, receiver: ConnectionOptions): SamplingServer {
    const connection = new Connection(receiver);
    return {
      ...server,
      load: async (weights, signal) =>
        server.load(
          { ...weights, folder: await writing(weights.path, () => this.#send(connection, weights, signal)) },
          signal,
        ),
      unload: async (name, signal) => {
        await server.unload(name, signal);
        const isBase = this.#bases.get(policyOf(name))?.some((base) => base.name === name) ?? false;
        if (!isBase) return forget(connection, name, signal);
        this.#unneeded.set(name, (this.#unneeded.get(name) ?? new Set()).add(connection));
      },
      /** Includes versions that were never loaded. */
      async names(signal) {
        const { names } = await connection.ask("/weights", null, listed, signal);
        return [...new Set([...(await server.names(signal)), ...names])];
      },
    };
  }

  /** Removes local copies, and those of receivers that answer. */
  async close(): Promise<void> {
    const bases = [...this.#bases.values()].flat();
    this.#bases.clear();
    await Promise.all(bases.map((base) => this.#drop(base)));
  }

  async #drop({ name, folder }: Base): Promise<void> {
    const connections = [...(this.#unneeded.get(name) ?? [])];
    this.#unneeded.delete(name);
    this.#prepared.delete(name);
    const { clock = systemClock } = this.#options;
    await Promise.allSettled(connections.map((connection) => forget(connection, name, clock.timeout(tidyMs))));
    await rm(folder, { recursive: true, force: true });
  }

  #send(connection: Connection, { path }: PublishedWeights, signal?: AbortSignal): Promise<string> {
    // Weights with two names are sent once.
    const key = `${connection.url} ${path}`;
    const pending = this.#sending.get(key);
    if (pending) return pending;
    const sending = this.#tryOn(connection, path, signal).finally(() => this.#sending.delete(key));
    this.#sending.set(key, sending);
    return sending;
  }

  async #tryOn(connection: Connection, path: string, signal?: AbortSignal): Promise<string> {
    const { attempts = 5, clock = systemClock } = this.#options;
    const prepared = await this.#prepare(path);
    let left = Infinity;
    let attempt = 1;
    const onMissing = (missing: number): void => {
      if (missing < left) attempt = 1;
      left = missing;
    };
    for (;;) {
      try {
        return await this.#upload(connection, path, prepared, onMissing, signal);
      } catch (error) {
        // The receiver was killed or a chunk was damaged: ask for its state.
        const again =
          LaconicError.is(error) &&
          (error.code === "api_unavailable" || error.detail["status"] === 422 || error.detail["status"] === 409);
        if (!again || ++attempt > attempts || signal?.aborted) throw error;
        await clock.sleep(backoffMs(attempt - 1, 1), signal);
      }
    }
  }

  async #upload(
    connection: Connection,
    path: string,
    { manifest, baseFolder }: Prepared,
    onMissing: (chunks: number) => void,
    signal?: AbortSignal,
  ): Promise<string> {
    const location = `/weights/${basename(path)}`;
    const body = JSON.stringify(manifest);
    const answer = connection.read(location, await connection.send(location, { method: "PUT", body }, signal), begun);
    if (answer.whole) return answer.folder;
    onMissing(answer.missing.length);
    let sentBytes = 0;
    const send = async ({ file, chunk }: ChunkPlace, base: string | null): Promise<HttpReply> => {
      const bytes = await chunkIn(join(path, file), chunk, manifest);
      const baseBytes = base === null ? null : await chunkIn(join(base, file), chunk, manifest).catch(() => null);
      const packed = await packChunk(bytes, baseBytes?.length === bytes.length ? baseBytes : null);
      sentBytes += packed.body.length;
      const headers = { "content-type": "application/octet-stream", "x-laconic-coding": packed.coding };
      return connection.send(`${location}/${file}/${chunk}`, { method: "PUT", body: packed.body, headers }, signal);
    };
    const queue = [...answer.missing];
    const base = answer.base ? baseFolder : null;
    const work = async (): Promise<void> => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        let reply = await send(next, base);
        // The base may be damaged there, so the chunk is sent in full.
        if (reply.status === 422 && base !== null) reply = await send(next, null);
        if (reply.status !== 204) throw connection.refusal(location, reply);
      }
    };
    const ended = await Promise.allSettled(Array.from({ length: chunksAtOnce }, work));
    const failed = ended.find((item) => item.status === "rejected");
    if (failed) throw failed.reason;
    const { folder } = connection.read(location, await connection.send(location, { method: "POST" }, signal), finished);
    const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
    this.sent.push({ bytes, sentBytes, chunks: answer.missing.length });
    await this.#keep(path, manifest);
    return folder;
  }

  #prepare(path: string): Promise<Prepared> {
    const name = basename(path);
    const prepared = this.#prepared.get(name);
    if (prepared) return prepared;
    const base = this.#bases.get(policyOf(name))?.findLast((item) => item.name !== name);
    const made = manifestOf(path, this.#options.chunkBytes ?? 4 << 20).then((files) => ({
      manifest: { ...files, base: base?.name ?? null },
      baseFolder: base?.folder ?? null,
    }));
    this.#prepared.set(name, made);
    return made;
  }

  async #keep(path: string, { files }: WeightsManifest): Promise<void> {
    const name = basename(path);
    const policy = policyOf(name);
    const bases = this.#bases.get(policy) ?? [];
    this.#bases.set(policy, bases);
    if (bases.some((base) => base.name === name)) return;
    const base = { name, folder: join(this.#options.folder, name) };
    bases.push(base);
    try {
      await makeFolders(base.folder);
      for (const file of files) {
        const [from, to] = [join(path, file.name), join(base.folder, file.name)];
        await link(from, to).catch(() => copyFile(from, to));
      }
    } catch {
      // Without a copy the next version is sent in full.
      bases.splice(bases.indexOf(base), 1);
      await rm(base.folder, { recursive: true, force: true }).catch(() => undefined);
    }
    if (bases.length > basesKept) await this.#drop(bases.shift()!);
  }
}

async function forget(connection: Connection, name: string, signal?: AbortSignal): Promise<void> {
  const reply = await connection.send(`/weights/${name}`, { method: "DELETE" }, signal);
  if (reply.status !== 204) throw connection.refusal("/weights", reply);
}

/** Versions of one policy share a prefix. */
function policyOf(name: string): string {
  return name.replace(/-v\d+-[\da-f]+-\d+$/u, "");
}
