import type { World } from "./world.ts";

/** Key of all servers with a key; it must not appear in files or messages. */
export const secret = "sk-canary-0123456789abcdef";

/** Byte patterns that reveal it: plain, hexadecimal, and Base64 at each offset. */
const forms: readonly Buffer[] = [
  secret,
  Buffer.from(secret).toString("hex"),
  ...[0, 1, 2].map((before) => {
    const text = Buffer.from(" ".repeat(before) + secret)
      .toString("base64")
      .replaceAll("=", "");
    return text.slice(before === 0 ? 0 : 4, -2);
  }),
].map((form) => Buffer.from(form));

/** Checks that output, messages, errors and requests do not contain the key. @param location - for people */
export function hear(world: World, location: string, message: unknown): void {
  const bytes =
    message instanceof Uint8Array
      ? Buffer.from(message.buffer, message.byteOffset, message.length)
      : Buffer.from(textOf(message));
  if (forms.some((form) => bytes.includes(form))) world.violate(`${location} holds the key`);
}

/** The key may appear only in a header, for allowed hosts. */
export function hearRequest(world: World, url: string, { headers, body }: RequestInit): void {
  const { host } = new URL(url);
  hear(world, `an address of ${host}`, url);
  hear(world, `a request to ${host}`, body);
  if (!world.keyHosts.includes(host)) hear(world, `a header to ${host}`, [...new Headers(headers)].flat().join("\n"));
}

function textOf(message: unknown): string {
  if (typeof message === "string") return message;
  if (!(message instanceof Error)) return JSON.stringify(message) ?? "";
  const { detail } = message as { readonly detail?: unknown };
  return [message.message, message.stack, JSON.stringify(detail), message.cause && textOf(message.cause)].join("\n");
}
