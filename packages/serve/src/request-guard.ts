import { isIP } from "node:net";
import { HttpError } from "./http.ts";

/** Whether a name or address means this machine itself. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/u, "$1").toLowerCase();
  return name === "localhost" || name.endsWith(".localhost") || name === "::1" || /^127\.\d+\.\d+\.\d+$/u.test(name);
}

/**
 * Refuses what a web page in somebody's browser can make it send. A page whose name was pointed at this machine (DNS
 * rebinding) sends that name as its host; a page from elsewhere sends its origin. Addresses are taken as hosts: no name
 * led to them.
 * @param named - the host that the request names
 * @param origin - of the page that sends it; null for none
 * @param hosts - names that this server is called by, beside those of this machine
 * @throws HttpError 403 naming what is foreign
 */
export function checkOrigin(named: string, origin: string | null, hosts: readonly string[]): void {
  const own = new Set(hosts.map((each) => each.toLowerCase()));
  const host = /[/\\?#@]/u.test(named) ? null : hostnameOf(`http://${named}`);
  const known = (name: string): boolean => isLoopback(name) || own.has(name);
  if (host === null || !(known(host) || isIP(host.replace(/^\[(.*)\]$/u, "$1")) !== 0))
    throw foreign(`the host ${named || "(none)"} is not among the names of this server`);
  if (origin === null) return;
  const page = hostnameOf(origin);
  if (page === null || !(known(page) || page === host))
    throw foreign(`pages of ${origin} may not ask this server`, "origin_foreign");
}

/**
 * The same of a server that asks for no key, and so is for its own pages alone: one that is bound to this machine is called by the names
 * of this machine, a page asks its own server and port, and what a browser loads for a page from elsewhere is refused.
 * @param hosts - what the server is bound to, and names that it is called by beside; none means this machine
 * @throws HttpError 403 of the code `host_foreign` or `origin_foreign`
 */
export function checkOwnPage(request: Request, hosts: readonly string[]): void {
  const { headers } = request;
  const host = hostOf(request);
  checkOrigin(host, null, hosts);
  const name = new URL(`http://${host}`).hostname;
  if (!isLoopback(name) && hosts.every((each) => isLoopback(each)))
    throw foreign(`the host ${name} is not this machine`);
  const [origin, site] = [headers.get("origin"), headers.get("sec-fetch-site")];
  if (origin !== null && !["http", "https"].some((scheme) => origin === `${scheme}://${host}`))
    throw foreign(`pages of ${origin} may not ask this server`, "origin_foreign");
  const isVisit = headers.get("sec-fetch-mode") === "navigate" && headers.get("sec-fetch-dest") === "document";
  if (site !== null && site !== "same-origin" && site !== "none" && !isVisit)
    throw foreign("pages from elsewhere may not ask this server", "origin_foreign");
}

/** {@link checkOwnPage} without a key; with one, {@link checkOrigin}: a page that has the key may run elsewhere. */
export function checkCaller(request: Request, hosts: readonly string[], apiKey: string | null): void {
  if (apiKey === null) checkOwnPage(request, hosts);
  else checkOrigin(hostOf(request), request.headers.get("origin"), hosts);
}

/** Without a header, as a test asks, the address names it. */
function hostOf({ headers, url }: Request): string {
  return headers.get("host") ?? new URL(url).host;
}

function foreign(message: string, code = "host_foreign"): HttpError {
  return new HttpError(403, "permission_error", message, null, code);
}

/** Lower case, without port; null for what is no plain origin. */
function hostnameOf(url: string): string | null {
  try {
    const { hostname, pathname, search, hash, username, password } = new URL(url);
    return [pathname, search, hash, username, password].join("") === "/" ? hostname : null;
  } catch {
    return null;
  }
}
