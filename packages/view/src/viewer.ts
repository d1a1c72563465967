import { optionCheck } from "@laconic/core/checks";
import type { Server } from "node:http";
import { createHandlerServer } from "@laconic/serve/server";
import { Api, type TokenizerOf } from "./api.ts";
import { dataThread } from "./data/data-thread.ts";
import { folderData, type ViewData } from "./data/folder-data.ts";
import { failureResponse, ViewError } from "./failure.ts";
import { staticFiles } from "./static-files.ts";
import { viewGuard } from "./view-guard.ts";
import { webFolder } from "./web-folder.ts";

/** Folders to show, and who may see them. */
export interface ViewerOptions {
  /** Runs, sweeps and benches in and below them are shown; empty for the playground alone. */
  readonly folders: readonly string[];
  /** Waits for missing folders instead of refusing them. */
  readonly mayCome?: boolean;
  /** Folder of the built pages; {@link webFolder} by default. */
  readonly pages?: string;
  /** Called before the pages are built. */
  readonly note?: (text: string) => void;
  /** Address that the server is bound to, and its other names; this machine by default. */
  readonly hosts?: readonly string[];
  /** Every visitor needs it, where other machines can reach the server. */
  readonly token?: string | null;
  readonly tokenizerOf?: TokenizerOf;
  /** Receives internal failures. */
  readonly onError?: (error: unknown) => void;
  /** Reads the folders instead of a separate thread. */
  readonly data?: ViewData;
}

const checkOptions = optionCheck<ViewerOptions>()(
  "openViewer",
  "folders mayCome pages note hosts token tokenizerOf onError data",
);

/** A dashboard over run folders, as a function of requests. */
export interface Viewer {
  readonly hosts: readonly string[];
  handle(request: Request): Promise<Response>;
  /** Ends all streams, and the reading thread. */
  close(): Promise<void>;
}

/**
 * Opens a dashboard over run folders. Nothing is written, and nothing is asked of another machine.
 * @throws LaconicError `config_invalid` for a folder that is not there
 */
export async function openViewer(options: ViewerOptions): Promise<Viewer> {
  checkOptions(options);
  const { folders, mayCome = false, hosts = ["localhost"], token = null, onError = () => undefined } = options;
  const guard = viewGuard({ hosts, token });
  const data =
    options.data ??
    (folders.length === 0 ? await folderData({ folders }) : await dataThread({ folders, mayCome }, onError));
  const files = await staticFiles(options.pages ?? (await webFolder(options.note))).catch(async (error: unknown) => {
    await data.close();
    throw error;
  });
  const api = new Api(data, options.tokenizerOf ?? (async () => null));
  return {
    hosts,
    async handle(request) {
      try {
        const early = guard(request);
        if (early) return early;
        if (request.method !== "GET" && request.method !== "HEAD")
          throw new ViewError(405, "method_wrong", `${request.method} is not answered here, GET is`);
        const path = decoded(new URL(request.url).pathname);
        if (path === "/") return new Response(null, { status: 302, headers: { location: "/dashboard/" } });
        const found = (await api.answer(path, request)) ?? (await files.answer(path));
        if (!found) throw new ViewError(404, "not_found", "there is nothing at this address");
        if (request.method === "GET") return found;
        await found.body?.cancel();
        return new Response(null, found);
      } catch (error) {
        return failureResponse(error, onError);
      }
    },
    async close() {
      api.close();
      await data.close();
    },
  };
}

/** A viewer behind a server of Node's, which does not listen yet. */
export function createViewServer(viewer: Pick<Viewer, "handle" | "hosts">, onError: (error: unknown) => void): Server {
  return createHandlerServer((request) => viewer.handle(request), onError, { hosts: viewer.hosts });
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new ViewError(400, "input_invalid", "the request's path is invalid");
  }
}
