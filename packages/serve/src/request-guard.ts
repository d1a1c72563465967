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
  if (host === null || !(known(host) || isAddress(host)))
    throw foreign(`the host ${named || "(none)"} is not among the names of this server`);
  if (origin === null) return;
  const page = hostnameOf(origin);
  if (page === null || !(known(page) || page === host)) throw foreign(`pages of ${origin} may not ask this server`);
}

function foreign(message: string): HttpError {
  return new HttpError(403, "permission_error", message);
}

function isAddress(name: string): boolean {
  return isIP(name.replace(/^\[(.*)\]$/u, "$1")) !== 0;
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
