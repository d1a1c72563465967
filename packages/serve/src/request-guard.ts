import { foreignCaller, isLoopback } from "@laconic/core/wire";
import { HttpError } from "./http.ts";

function checkOrigin(host: string, origin: string | null, hosts: readonly string[]): void {
  const problem = foreignCaller(host, origin, hosts);
  if (problem !== null) throw foreign(problem.message, problem.code);
}

/**
 * Stricter check for a server without a key, which serves only its own pages: the host is a name of this machine, the
 * origin is the server with its port, and cross-site resource loads are refused.
 * @param hosts - bound host and other allowed names; empty means this machine
 * @throws HttpError 403 with code `host_foreign` or `origin_foreign`
 */
export function checkOwnPage(request: Request, hosts: readonly string[]): void {
  const { headers } = request;
  const host = hostOf(request);
  checkOrigin(host, null, hosts);
  const name = new URL(`http://${host}`).hostname;
  if (!isLoopback(name) && hosts.every(isLoopback)) throw foreign(`the host ${name} is not this machine`);
  const [origin, site] = [headers.get("origin"), headers.get("sec-fetch-site")];
  if (origin !== null && !["http", "https"].some((scheme) => origin === `${scheme}://${host}`))
    throw foreign(`pages of ${origin} may not call this server`, "origin_foreign");
  const isVisit = headers.get("sec-fetch-mode") === "navigate" && headers.get("sec-fetch-dest") === "document";
  if (site !== null && site !== "same-origin" && site !== "none" && !isVisit)
    throw foreign("pages from elsewhere may not call this server", "origin_foreign");
}

/** {@link checkOwnPage} without a key, else {@link checkOrigin}: pages with the key may run anywhere. */
export function checkCaller(request: Request, hosts: readonly string[], apiKey: string | null): void {
  if (apiKey === null) checkOwnPage(request, hosts);
  else checkOrigin(hostOf(request), request.headers.get("origin"), hosts);
}

/** Without a host header, as in tests, the URL names the host. */
function hostOf({ headers, url }: Request): string {
  return headers.get("host") ?? new URL(url).host;
}

function foreign(message: string, code = "host_foreign"): HttpError {
  return new HttpError(403, message, null, code);
}
