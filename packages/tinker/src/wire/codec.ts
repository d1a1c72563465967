import { boundedJson } from "@laconic/core/json";

/** A request as it goes over the wire. */
export interface WireRequest {
  readonly path: string;
  readonly contentType: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
}

/** How requests are written on the wire, and replies read from it. */
export interface Codec {
  /** Which SDK's wire it is. */
  readonly sdkVersion: string;
  request(path: string, body: object): WireRequest;
  /**
   * The form of reply that is asked for.
   * @param of - the request whose result this is, where `path` asks for a result
   */
  accept(path: string, of: string): string;
  /**
   * @param contentType - of the reply
   * @throws anything for bytes that are no reply
   */
  reply(bytes: Uint8Array, contentType: string, of: string): unknown;
}

const json = "application/json";

/** The protocol in plain JSON, as SDK versions up to 0.24 and self-hosted servers speak it. */
export const jsonCodec: Codec = {
  sdkVersion: "0.24.1",
  request: (path, body) => ({ path, contentType: json, body: JSON.stringify(body) }),
  accept: () => json,
  reply: (bytes) => boundedJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes)),
};
