import { LaconicError } from "@laconic/core";

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u;

/**
 * The server's base, without a slash at its end.
 * @throws LaconicError `config_invalid` for anything but http and https, for a user or query in it, and for plain http to
 * another machine unless allowed: the key and all training data would be readable on the way.
 */
export function checkedAddress(address: string, allowPlainHttp: boolean): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  const fail = (reason: string): LaconicError => new LaconicError("config_invalid", `baseUrl: ${reason}`);
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw fail("expected an address such as http://127.0.0.1:8000");
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw fail("a user, a key or a query does not belong into it; give the key as apiKey");
  if (url.protocol === "http:" && !loopback.test(url.hostname) && !allowPlainHttp)
    throw fail(`${url.host} would be spoken to without encryption; use https, or set allowPlainHttp`);
  return `${url.origin}${url.pathname.replace(/\/+$/u, "")}`;
}
