import { boundedJson } from "@laconic/core";
/** How bodies are written on the wire and read from it: a seam for the protocol's binary form. */
export interface Codec {
  /** Of requests and, as `Accept`, of replies. */
  readonly contentType: string;
  encode(body: object): string | Uint8Array<ArrayBuffer>;
  /** @throws anything for bytes that are no reply */
  decode(bytes: Uint8Array): unknown;
}

/** The protocol in plain JSON, as SDK versions up to 0.24 and self-hosted servers speak it. */
export const jsonCodec: Codec = {
  contentType: "application/json",
  encode: (body) => JSON.stringify(body),
  decode: (bytes) => boundedJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes)),
};
