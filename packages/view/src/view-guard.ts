import { createHash } from "node:crypto";
import { isSameSecret } from "@laconic/core/platform";
import { checkOwnPage } from "@laconic/serve/server";
import { ViewError } from "./failure.ts";
import { plainHeaders } from "./static-files.ts";

export interface GuardOptions {
  /** Bound address and other names of the server. */
  readonly hosts: readonly string[];
  /** Null if no token is needed. */
  readonly token: string | null;
}

/**
 * Refuses requests from foreign pages: another host (DNS rebinding) or another origin. If a token is set, an address with
 * `?token=` sets a cookie that all other requests need.
 * @returns a response that replaces the page; null for an accepted request
 * @throws ViewError 401 and 403
 */
export function viewGuard({ hosts, token }: GuardOptions): (request: Request) => Response | null {
  const secret = digest(`cookie ${token}`);
  const name = `laconic-view-${digest(`name ${token}`).slice(0, 8)}`;
  return (request) => {
    try {
      checkOwnPage(request, hosts);
    } catch (error) {
      const { code, message } = error as { readonly code?: string; readonly message: string };
      throw new ViewError(403, code === "origin_foreign" ? code : "host_foreign", message);
    }
    if (token === null) return null;
    const url = new URL(request.url);
    const attempt = url.searchParams.get("token");
    if (attempt !== null) {
      if (!isSameSecret(attempt, token)) throw new ViewError(401, "token_wrong", "the token in the address is wrong");
      url.searchParams.delete("token");
      return welcome(`${url.pathname}${url.search}`, `${name}=${secret}; HttpOnly; SameSite=Strict; Path=/`);
    }
    const cookies = (request.headers.get("cookie") ?? "").split(";").map((cookie) => cookie.trim());
    const cookie = cookies.find((each) => each.startsWith(`${name}=`));
    if (cookie !== undefined && isSameSecret(cookie.slice(name.length + 1), secret)) return null;
    throw new ViewError(401, "token_missing", "open the address with the token that the command printed");
  };
}

/** Sets the cookie on a page, because browsers omit strict cookies after a redirect from another site. */
function welcome(address: string, cookie: string): Response {
  // A single slash: an address with two leads to another host.
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

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
