import { LaconicError } from "../errors.ts";

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u;

/**
 * The base of a server's address, without a slash at its end.
 * @param name - of the setting, for messages
 * @param plainHttp - whether http to another machine is allowed, and the option that allows it
 * @throws LaconicError `config_invalid` for anything but http and https, for a user, a query or a fragment in it, and for http to another
 * machine unless allowed: keys and data would be readable on the way
 */
export function serverAddress(
  address: string,
  name: string,
  plainHttp: { readonly allowed: boolean; readonly option: string },
): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  const place = url?.host ?? JSON.stringify(address);
  const fail = (reason: string): LaconicError =>
    new LaconicError("config_invalid", `${name} ${place}: ${reason}`, { key: name });
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw fail("expected an address such as http://127.0.0.1:8000");
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw fail("a user, a key or a query does not belong into the address; give the key as apiKey");
  if (url.protocol === "http:" && !loopback.test(url.hostname) && !plainHttp.allowed)
    throw fail(`it would be reached without encryption; use https, or set ${plainHttp.option}`);
  return `${url.origin}${url.pathname.replace(/\/+$/u, "")}`;
}
