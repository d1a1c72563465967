import { createHash } from "node:crypto";
import { isSameSecret } from "@laconic/core/platform";
import { checkOwnPage } from "@laconic/serve/server";
import { ViewError } from "./failure.ts";
import { plainHeaders } from "./static-files.ts";

/** Who may ask. */
export interface GuardOptions {
  /** What the server is bound to, and names that it is called by beside. */
  readonly hosts: readonly string[];
  /** Asked of everybody where the server can be reached from elsewhere; null asks for none. */
  readonly token: string | null;
}

/**
 * Refuses what a page from elsewhere makes a browser send: another host than the server's (DNS rebinding), another origin than
 * its own. Where there is a token, an address with `?token=` is answered with a cookie, and everything else needs that cookie.
 * @returns an answer instead of the page; null for an accepted request
 * @throws ViewError 401 and 403
 */
export function viewGuard({ hosts, token }: GuardOptions): (request: Request) => Response | null {
  const secret = token === null ? null : digest(`cookie ${token}`);
  const cookie = token === null ? "" : `laconic-view-${digest(`name ${token}`).slice(0, 8)}`;
  return (request) => {
    checkPage(request, hosts);
    if (token === null || secret === null) return null;
    const url = new URL(request.url);
    const given = url.searchParams.get("token");
    if (given !== null) {
      if (!isSameSecret(given, token)) throw new ViewError(401, "token_wrong", "the token in the address is wrong");
      url.searchParams.delete("token");
      return welcome(`${url.pathname}${url.search}`, `${cookie}=${secret}; HttpOnly; SameSite=Strict; Path=/`);
    }
    const shown = cookieNamed(request.headers.get("cookie") ?? "", cookie);
    if (shown !== null && isSameSecret(shown, secret)) return null;
    throw new ViewError(401, "token_missing", "open the address with the token that the command printed");
  };
}

function checkPage(request: Request, hosts: readonly string[]): void {
  try {
    checkOwnPage(request, hosts);
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    throw new ViewError(403, code === "origin_foreign" ? code : "host_foreign", message);
  }
}

/** Sets the cookie, and goes on from a page of our own: a strict cookie is not sent on where another page led. */
function welcome(address: string, cookie: string): Response {
  // One slash: an address that begins with two leads to another host.
  const target = `/${address.replace(/^[/\\]+/u, "")}`.replaceAll(/[&"'<>]/gu, (each) => `&#${each.charCodeAt(0)};`);
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${target}"><title>Laconic</title></head><body><p><a href="${target}">Go on</a></p></body></html>`;
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

function cookieNamed(header: string, name: string): string | null {
  const found = header.split(";").find((each) => each.trim().startsWith(`${name}=`));
  return found === undefined ? null : found.trim().slice(name.length + 1);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
