import { configError, thrownText, type LaconicError } from "../errors.ts";

/** Host and port of an address, for messages. The rest may contain a password, key or signature. */
export function hostOf(address: string): string {
  return (URL.canParse(address) && new URL(address).host) || address;
}

const codes: Readonly<Record<string, string>> = {
  "connection refused": "ECONNREFUSED",
  "connection reset": "ECONNRESET EPIPE UND_ERR_SOCKET",
  "host not found": "ENOTFOUND EAI_AGAIN",
  "host unreachable": "EHOSTUNREACH ENETUNREACH",
  "no reply in time": "ETIMEDOUT UND_ERR_CONNECT_TIMEOUT UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT TimeoutError",
  "TLS failed": "EPROTO",
  "TLS certificate not trusted":
    "DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "TLS certificate expired": "CERT_HAS_EXPIRED",
  "TLS certificate of another host": "ERR_TLS_CERT_ALTNAME_INVALID",
};
const meanings = new Map(
  Object.entries(codes).flatMap(([meaning, list]) => list.split(" ").map((code) => [code, meaning] as const)),
);

/** Code of a failed exchange, such as `ECONNREFUSED`, also from causes and nested errors; null if missing. */
export function networkCode(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, cause, name, errors } = error as { code?: unknown; errors?: unknown } & Error;
  if (typeof code === "string" && /^\w+$/u.test(code)) return code;
  if (name === "TimeoutError") return name;
  return networkCode(cause) ?? (Array.isArray(errors) ? networkCode(errors[0]) : null);
}

/** Reason of a failed exchange: the meaning of its code, or the innermost message, which may contain a key. */
export function networkReason(error: unknown): string {
  const code = networkCode(error);
  if (code !== null) return meanings.has(code) ? `${meanings.get(code)} (${code})` : code;
  return error instanceof Error && error.cause instanceof Error ? networkReason(error.cause) : thrownText(error);
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u;

/**
 * Normalises a server's base address, without final slash.
 * @param name - setting name
 * @param plainHttp - whether http to another machine is allowed, and the option for it
 * @throws LaconicError `config_invalid` for other protocols, for a user, query or fragment, and for http to another
 * machine unless allowed, which would expose keys and data
 */
export function serverAddress(
  address: string,
  name: string,
  plainHttp: { readonly allowed: boolean; readonly option: string },
): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  const location = url?.host ?? JSON.stringify(address);
  const fail = (reason: string): LaconicError => configError(`${name} ${location}: ${reason}`, { key: name });
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw fail("expected an address such as http://127.0.0.1:8000");
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw fail("the address must not contain a user, key or query; pass the key as apiKey");
  if (url.protocol === "http:" && !loopback.test(url.hostname) && !plainHttp.allowed)
    throw fail(`the connection would not be encrypted; use https, or set ${plainHttp.option}`);
  return `${url.origin}${url.pathname.replace(/\/+$/u, "")}`;
}
