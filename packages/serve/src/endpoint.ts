import type { Replies } from "./completer.ts";
import { checkKey, HttpError, jsonResponse, pathOf, readJson } from "./http.ts";
import type { ServerSettings } from "./options.ts";
import { withoutNulls } from "./parse.ts";
import { checkCaller } from "./request-guard.ts";
import { surfaceAt, throughSurface } from "./surfaces/surfaces.ts";

/**
 * Checks host, origin and key.
 * @returns the decoded path, or the answer to `/health`
 * @throws HttpError 401 or 403
 */
export function enter(
  request: Request,
  { hosts, apiKey }: Pick<Required<ServerSettings>, "hosts" | "apiKey">,
  health: () => object,
): string | Response {
  checkCaller(request, hosts, apiKey);
  const path = pathOf(request);
  if (request.method === "GET" && path === "/health") return jsonResponse(200, { status: "ok", ...health() });
  checkKey(request.headers, apiKey);
  return path;
}

/**
 * Answers `GET /models` and `/models/ID`; null for other requests.
 * @param path - without `/v1`
 */
export function answerModels(
  { method }: Request,
  path: string,
  names: readonly string[],
  card: (name: string) => object,
): Response | null {
  if (method !== "GET") return null;
  if (path === "/models") return jsonResponse(200, { object: "list", data: names.map(card) });
  return path.startsWith("/models/") ? jsonResponse(200, card(path.slice("/models/".length))) : null;
}

const completionPath = /^\/(?:chat\/completions|completions|responses|messages)$/u;

export interface AskedReplies {
  readonly isChat: boolean;
  readonly body: Readonly<Record<string, unknown>>;
  readonly tell: (replies: Replies) => Replies;
}

/**
 * Reads a request for replies; null for another path.
 * @param path - without `/v1`
 * @throws HttpError 405, 413, 415, or 400 with the parameter
 */
export async function readReplyRequest(
  request: Request,
  path: string,
  maxBodyBytes: number,
): Promise<AskedReplies | null> {
  if (!completionPath.test(path)) return null;
  if (request.method !== "POST") throw new HttpError(405, `${path}: expected POST`);
  const surface = surfaceAt(path);
  const json = await readJson(request, maxBodyBytes, surface?.keep);
  const asked = surface?.read(json);
  return {
    isChat: path !== "/completions",
    body: withoutNulls(asked?.chat ?? json),
    tell: (replies) => (surface && asked ? throughSurface(replies, asked, surface) : replies),
  };
}
