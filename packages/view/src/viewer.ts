import { sha256 } from "@laconic/core/files";
import type { Server } from "node:http";
import { optionCheck } from "@laconic/core/checks";
import { isSameSecret } from "@laconic/core/platform";
import { checkOwnPage, createHandlerServer } from "@laconic/serve/server";
import { Api, failureResponse, type TokenizerOf } from "./api.ts";
import { folderData, type FolderDataOptions } from "./data/folder-data.ts";
import { ViewError, type ViewData } from "./requests.ts";
import { plainHeaders, staticFiles } from "./static-files.ts";
import { webFolder } from "./web-folder.ts";

/** Options of `openViewer`. */
export interface ViewerOptions extends Pick<FolderDataOptions, "folders" | "mayCome" | "onError"> {
  /** Default {@link webFolder}. */
  readonly pages?: string;
  readonly note?: (text: string) => void;
  /** Bound address and other names. Default this machine. */
  readonly hosts?: readonly string[];
  /** Required of all visitors if other machines can connect. */
  readonly token?: string | null;
  readonly tokenizerOf?: TokenizerOf;
  readonly data?: ViewData;
}

const checkOptions = optionCheck<ViewerOptions>()(
  "openViewer",
  "folders mayCome pages note hosts token tokenizerOf onError data",
);

/** Dashboard as a request handler. */
export interface Viewer {
  readonly hosts: readonly string[];
  handle(request: Request): Promise<Response>;
  close(): Promise<void>;
}

/**
 * Opens a dashboard that never writes or contacts other machines.
 * @throws LaconicError `config_invalid` for a missing folder
 */
export async function openViewer(options: ViewerOptions): Promise<Viewer> {
  checkOptions(options);
  const { folders, mayCome = false, hosts = ["localhost"], token = null, onError = () => undefined } = options;
  const guard = viewGuard(hosts, token);
  const data = options.data ?? (await folderData({ folders, mayCome, onError }));
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
        const path = decoded(new URL(request.url).pathname);
        if (request.method !== "GET" && request.method !== "HEAD")
          throw new ViewError(405, "method_wrong", `${request.method} is not supported; use GET`);
        if (path === "/") return new Response(null, { status: 302, headers: { location: "/dashboard/" } });
        const match = (await api.answer(path, request)) ?? (await files.answer(path));
        if (!match) throw new ViewError(404, "not_found", "address not found");
        if (request.method === "GET") return match;
        await match.body?.cancel();
        return new Response(null, match);
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

/** Wraps a viewer in a Node server that does not listen yet. */
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

/**
 * Refuses another host (DNS rebinding) or another origin. If a token is set, an address with `?token=` sets a cookie
 * that all other requests need.
 * @returns a response that replaces the page; null for an accepted request
 * @throws ViewError 401 and 403
 */
function viewGuard(hosts: readonly string[], token: string | null): (request: Request) => Response | null {
  const secret = sha256(`cookie ${token}`);
  const name = `laconic-view-${sha256(`name ${token}`).slice(0, 8)}`;
  return (request) => {
    try {
      checkOwnPage(request, hosts);
    } catch (error) {
      const { code, message } = error as { readonly code?: string; readonly message: string };
      throw new ViewError(403, code === "origin_foreign" ? code : "host_foreign", message);
    }
    if (token === null) return null;
    const url = new URL(request.url);
    const attempt = url.searchParams.get("token");
    if (attempt !== null) {
      if (!isSameSecret(attempt, token)) throw new ViewError(401, "token_wrong", "the token in the address is wrong");
      url.searchParams.delete("token");
      return welcome(`${url.pathname}${url.search}`, `${name}=${secret}; HttpOnly; SameSite=Strict; Path=/`);
    }
    const cookies = (request.headers.get("cookie") ?? "").split(";").map((cookie) => cookie.trim());
    const cookie = cookies.find((cooky) => cooky.startsWith(`${name}=`));
    if (cookie !== undefined && isSameSecret(cookie.slice(name.length + 1), secret)) return null;
    throw new ViewError(401, "token_missing", "open the address with the token that the command printed");
  };
}

/** Sets the cookie on a page, because browsers omit strict cookies after a redirect from another site. */
function welcome(address: string, cookie: string): Response {
  // Two slashes lead to another host.
  const target = `/${address.replace(/^[/\\]+/u, "")}`.replaceAll(/[&"'<>]/gu, (text) => `&#${text.charCodeAt(0)};`);
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${target}"><title>Laconic</title></head><body><p><a href="${target}">Continue</a></p></body></html>`;
  return new Response(page, {
    headers: {
      ...plainHeaders,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "cache-control": "no-store",
      "set-cookie": cookie,
    },
  });
}
