/** Whether an address is this machine. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/u, "$1").toLowerCase();
  return name === "localhost" || name.endsWith(".localhost") || name === "::1" || /^127\.\d+\.\d+\.\d+$/u.test(name);
}

/**
 * Refuses requests that a foreign web page sends through a user's browser. A page
 * with DNS rebinding sends its name as host; other pages send their origin. IP addresses are allowed as hosts, because
 * rebinding needs a name.
 * @param named - host of the request
 * @param origin - origin of the page; null for none
 * @param hosts - names of this server besides this machine's
 * @returns the reason of a refusal; null without one
 */
export function foreignCaller(
  named: string,
  origin: string | null,
  hosts: readonly string[],
): { code: "host_foreign" | "origin_foreign"; message: string } | null {
  const allowed = new Set(hosts.map((text) => text.toLowerCase()));
  const host = /[/\\?#@]/u.test(named) ? null : hostnameOf(`http://${named}`);
  const isAllowed = (name: string): boolean => isLoopback(name) || allowed.has(name);
  // A parsed hostname is IPv6 in brackets, or IPv4 if its last part is a number.
  if (host === null || !(isAllowed(host) || /^\[|\.\d+$/u.test(host)))
    return { code: "host_foreign", message: `the host ${named || "(none)"} is not among the names of this server` };
  const page = origin === null ? host : hostnameOf(origin);
  if (page !== null && (isAllowed(page) || page === host)) return null;
  return { code: "origin_foreign", message: `pages of ${origin} may not call this server` };
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
