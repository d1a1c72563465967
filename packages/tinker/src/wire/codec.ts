import { boundedJson } from "@laconic/core/json";

/** Encoded request. */
export interface WireRequest {
  readonly path: string;
  readonly contentType: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
}

/** Encodes requests and decodes replies. */
export interface Codec {
  /** SDK version of the wire format. */
  readonly sdkVersion: string;
  request(path: string, body: object): WireRequest;
  /** Headers that select the reply format. @param of - the request whose result `path` requests */
  accept(path: string, of: string): string;
  /** @throws any error for invalid bytes */
  reply(bytes: Uint8Array, contentType: string, of: string): unknown;
}

const json = "application/json";

/** Plain JSON, for SDK versions up to 0.24 and self-hosted servers. */
export const jsonCodec: Codec = {
  sdkVersion: "0.24.1",
  request: (path, body) => ({ path, contentType: json, body: JSON.stringify(body) }),
  accept: () => json,
  reply: (bytes) => boundedJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes)),
};
