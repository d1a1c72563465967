import { isIP } from "node:net";
import { HttpError } from "./http.ts";

/** Whether an address is this machine. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/u, "$1").toLowerCase();
  return name === "localhost" || name.endsWith(".localhost") || name === "::1" || /^127\.\d+\.\d+\.\d+$/u.test(name);
}

/**
 * Refuses requests that a foreign web page sends through a user's browser. A page with DNS rebinding sends its name as
 * host; other pages send their origin. IP addresses are allowed as hosts, because rebinding needs a name.
 * @param named - host of the request
 * @param origin - origin of the page; null for none
 * @param hosts - names of this server besides this machine's
 * @throws HttpError 403 with the foreign name
 */
export function checkOrigin(named: string, origin: string | null, hosts: readonly string[]): void {
  const allowed = new Set(hosts.map((text) => text.toLowerCase()));
  const host = /[/\\?#@]/u.test(named) ? null : hostnameOf(`http://${named}`);
  const isAllowed = (name: string): boolean => isLoopback(name) || allowed.has(name);
  if (host === null || !(isAllowed(host) || isIP(host.replace(/^\[(.*)\]$/u, "$1")) !== 0))
    throw foreign(`the host ${named || "(none)"} is not among the names of this server`);
  if (origin === null) return;
  const page = hostnameOf(origin);
  if (page === null || !(isAllowed(page) || page === host))
    throw foreign(`pages of ${origin} may not call this server`, "origin_foreign");
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

/** Lower case, without port; null for an invalid origin. */
function hostnameOf(url: string): string | null {
  try {
    const { hostname, pathname, search, hash, username, password } = new URL(url);
    return [pathname, search, hash, username, password].join("") === "/" ? hostname : null;
  } catch {
    return null;
  }
}
