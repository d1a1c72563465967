import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** File of a repository: text and small bytes are git blobs; `large` files come from the storage origin. */
export interface FakeFile {
  readonly bytes: Uint8Array;
  readonly large?: boolean;
}

/** Request received by the fake hub or its storage. */
export interface Seen {
  readonly server: "hub" | "storage";
  readonly method: string;
  readonly path: string;
  readonly range: string | undefined;
  readonly authorization: string | undefined;
}

/** Replaces the hub's answer; returns false to let the hub answer. */
export type Fault = (seen: Seen, response: ServerResponse) => boolean;

/** Hub and storage on loopback with two origins, like the real one. */
export interface FakeHub {
  readonly endpoint: string;
  readonly storage: string;
  readonly commit: string;
  readonly files: Map<string, FakeFile>;
  readonly seen: Seen[];
  /** Tried in turn before every answer. */
  readonly faults: Fault[];
  /** Entries per page of a listing. */
  pageSize: number;
  close(): Promise<void>;
}

/** Secret in the storage's addresses, which must not appear in any message. */
export const signature = "secret-signature";

/** Git's SHA-1 of a blob in hexadecimal. */
export function gitHash(bytes: Uint8Array): string {
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

/** SHA-256 in hexadecimal. */
export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Starts a fake hub and its storage on loopback with the repository's files. */
export async function startFakeHub(repo: string, files: Readonly<Record<string, FakeFile>>): Promise<FakeHub> {
  const commit = gitHash(new TextEncoder().encode(repo));
  const seen: Seen[] = [];
  const faults: Fault[] = [];
  const held = new Map(Object.entries(files));
  const hub = { commit, seen, faults, files: held, pageSize: 1000 };

  const serve =
    (server: Seen["server"], answer: (path: URL, request: IncomingMessage, response: ServerResponse) => void) =>
    (request: IncomingMessage, response: ServerResponse): void => {
      const { method = "", url = "", headers } = request;
      const entry: Seen = { server, method, path: url, range: headers.range, authorization: headers.authorization };
      seen.push(entry);
      if (!faults.some((fault) => fault(entry, response))) answer(new URL(url, "http://loopback"), request, response);
    };

  const storage = await listen(
    createServer(
      serve("storage", ({ pathname, searchParams }, request, response) => {
        const file = [...held.values()].find(({ bytes }) => pathname === `/${sha256(bytes)}`);
        if (!file || searchParams.get("signature") !== signature) return void response.writeHead(403).end();
        sendBytes(request, response, file.bytes, {});
      }),
    ),
  );

  // A different host: Python follows redirects within one host by itself.
  const elsewhere = storage.address.replace("127.0.0.1", "localhost");
  const main = await listen(
    createServer(
      serve("hub", ({ pathname, searchParams }, request, response) => {
        const path = decodeURIComponent(pathname);
        const known = ["main", "v1", "refs/pr/2", commit];
        const api = /^\/api\/(?:model|dataset)s\/([^/]+\/[^/]+)\/(revision|tree)\/(.+)$/.exec(path);
        if (api) {
          const [, name, kind, rest = ""] = api;
          if (name !== repo) return refuse(response, 401, "RepoNotFound");
          if (!known.includes(rest)) return refuse(response, 404, "RevisionNotFound");
          if (kind === "revision")
            return json(response, {
              _id: "1",
              id: repo,
              sha: commit,
              siblings: [...held.keys()].map((rfilename) => ({ rfilename })),
              private: false,
              downloads: 0,
              likes: 0,
              tags: [],
              lastModified: "2026-01-01T00:00:00.000Z",
              createdAt: "2026-01-01T00:00:00.000Z",
              gated: false,
              modelId: repo,
            });
          const from = Number(searchParams.get("cursor") ?? 0);
          const entries = [...held].map((entry) => listingEntry(...entry));
          const next = from + hub.pageSize;
          const link = `<${main.address}${pathname}?recursive=true&expand=false&cursor=${next}>; rel="next"`;
          return json(response, entries.slice(from, next), next < entries.length ? { link } : {});
        }
        const resolve = new RegExp(`^/(?:datasets/)?${repo}/resolve/(main|[0-9a-f]{40})/(.+)$`).exec(path);
        const file = held.get(resolve?.[2] ?? "");
        if (!file) return refuse(response, 404, "EntryNotFound");
        const headers = { "x-repo-commit": commit };
        if (!file.large)
          return sendBytes(request, response, file.bytes, { ...headers, etag: `"${gitHash(file.bytes)}"` });
        const hash = sha256(file.bytes);
        response
          .writeHead(302, {
            ...headers,
            "x-linked-etag": `"${hash}"`,
            "x-linked-size": String(file.bytes.length),
            location: `${elsewhere}/${hash}?signature=${signature}`,
          })
          .end();
      }),
    ),
  );

  return Object.assign(hub, {
    endpoint: main.address,
    storage: elsewhere,
    close: async () => void (await Promise.all([main.close(), storage.close()])),
  });
}

function listingEntry(path: string, { bytes, large = false }: FakeFile): unknown {
  const size = bytes.length;
  if (!large) return { type: "file", path, size, oid: gitHash(bytes) };
  return { type: "file", path, size, oid: "0".repeat(40), lfs: { oid: sha256(bytes), size, pointerSize: 134 } };
}

/** Answers a request with bytes, or with the requested range of them. */
export function sendBytes(
  request: { readonly method?: string | undefined; readonly headers: { readonly range?: string | undefined } },
  response: ServerResponse,
  bytes: Uint8Array,
  headers: Readonly<Record<string, string>>,
): void {
  const asked = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
  const start = Number(asked?.[1] ?? 0);
  const end = asked?.[2] ? Math.min(Number(asked[2]) + 1, bytes.length) : bytes.length;
  if (start > bytes.length) return void response.writeHead(416, { "content-range": `bytes */${bytes.length}` }).end();
  response.writeHead(asked ? 206 : 200, {
    ...headers,
    "accept-ranges": "bytes",
    "content-length": end - start,
    ...(asked && { "content-range": `bytes ${start}-${end - 1}/${bytes.length}` }),
  });
  response.end(request.method === "HEAD" ? undefined : bytes.subarray(start, end));
}

function json(response: ServerResponse, value: unknown, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
}

/** Error response that leaks the request's token, like a careless server. */
function refuse(response: ServerResponse, status: number, code: string): void {
  const { authorization } = response.req.headers;
  response
    .writeHead(status, {
      "content-type": "application/json",
      "x-error-code": code,
      "x-error-message": `${authorization}`,
    })
    .end(JSON.stringify({ error: `refused: ${authorization}` }));
}

async function listen(server: Server): Promise<{ readonly address: string; close(): Promise<void> }> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
