import { jsonCodec, type Codec } from "./codec.ts";
import type { Datum, TensorData } from "./datum.ts";
import { joinBytes } from "@laconic/core/files";
import { doubleField, fieldsOf, intField, lengthField, type ProtoValue } from "@laconic/core/wire";

const contentType = "application/x-protobuf";

/**
 * Wire format of SDK versions from 0.25 (package `tinker_public`): passes and results are binary, the rest is JSON.
 * Field numbers follow the SDK's public schema at d595dc2 (2026-08-08).
 */
export const protobufCodec: Codec = {
  sdkVersion: "0.25.0",
  request(path, body) {
    if (path !== "forward" && path !== "forward_backward") return jsonCodec.request(path, body);
    return { path: "forward_backward", contentType, body: passMessage(path === "forward", body as PassBody) };
  },
  accept: (path, of) => (path === "retrieve_future" && isBinary(of) ? contentType : jsonCodec.accept(path, of)),
  reply(bytes, input, of) {
    if (!input.includes(contentType)) return jsonCodec.reply(bytes, input, of);
    return of === "asample" ? sampleOf(bytes) : passOf(bytes);
  },
};

function isBinary(of: string): boolean {
  return ["forward", "forward_backward", "asample"].includes(of);
}

interface PassInput {
  readonly data: readonly Datum[];
  readonly loss_fn: string;
  readonly loss_fn_config?: Readonly<Record<string, number>>;
}

interface PassBody {
  readonly model_id: string;
  readonly seq_id: number;
  readonly forward_input?: PassInput;
  readonly forward_backward_input?: PassInput;
}

const types = { float32: 1, int64: 2, int32: 3, bfloat16: 4 } as const;
const stopReasons = ["stop", "length"] as const;

function passMessage(forwardOnly: boolean, body: PassBody): Uint8Array<ArrayBuffer> {
  const { data, loss_fn, loss_fn_config = {} } = (body.forward_input ?? body.forward_backward_input) as PassInput;
  return joinBytes([
    lengthField(1, body.model_id),
    nonZero(2, body.seq_id),
    ...data.map((datum) => lengthField(3, datumMessage(datum))),
    lengthField(4, loss_fn),
    ...Object.entries(loss_fn_config).map(([name, value]) =>
      lengthField(5, lengthField(1, name), doubleField(2, value)),
    ),
    nonZero(6, Number(forwardOnly)),
  ]);
}

/** Default values are omitted. */
function nonZero(field: number, value: number): Uint8Array {
  return value === 0 ? joinBytes([]) : intField(field, value);
}

function datumMessage({ model_input, loss_fn_inputs }: Datum): Uint8Array {
  return joinBytes([
    ...model_input.chunks.map(({ tokens }) =>
      lengthField(1, lengthField(1, lengthField(1, bytesOf(Int32Array.from(tokens))))),
    ),
    ...Object.entries(loss_fn_inputs).map(([name, tensor]) =>
      lengthField(2, lengthField(1, name), lengthField(2, tensorMessage(tensor))),
    ),
  ]);
}

function tensorMessage({ data, dtype }: TensorData): Uint8Array {
  const values = dtype === "int64" ? BigInt64Array.from(data, BigInt) : Float32Array.from(data);
  return joinBytes([lengthField(1, bytesOf(values)), intField(3, types[dtype])]);
}

function sampleOf(bytes: Uint8Array): object {
  const fields = fieldsOf(bytes);
  const [promptLogProbs] = fields.get(2) ?? [];
  return {
    sequences: (fields.get(1) ?? []).map((sequence) => {
      const own = fieldsOf(bytesIn(sequence));
      const [logProbs] = own.get(3) ?? [];
      return {
        stop_reason: stopReasons[intIn(own.get(1)?.[0])],
        tokens: [...arrayOf(Int32Array, own.get(2)?.[0])],
        ...(logProbs !== undefined && { logprobs: finite(arrayOf(Float32Array, logProbs)) }),
      };
    }),
    ...(promptLogProbs !== undefined && { prompt_logprobs: finite(arrayOf(Float32Array, promptLogProbs)) }),
  };
}

function passOf(bytes: Uint8Array): object {
  const fields = fieldsOf(bytes);
  const outputs: Record<string, { readonly data: readonly (number | null)[] }>[] = [];
  for (const record of fields.get(2) ?? []) {
    const own = fieldsOf(bytesIn(record));
    const first = outputs.length;
    for (let i = 0; i < intIn(own.get(3)?.[0]); i++) outputs.push({});
    for (const entry of own.get(2) ?? []) {
      const pair = fieldsOf(bytesIn(entry));
      const name = new TextDecoder().decode(bytesIn(pair.get(1)?.[0]));
      batchedOf(fieldsOf(bytesIn(pair.get(2)?.[0]))).forEach((data, i) => {
        (outputs[first + i] ??= {})[name] = { data };
      });
    }
  }
  const metrics = (fields.get(3) ?? []).map((entry) => {
    const pair = fieldsOf(bytesIn(entry));
    return [new TextDecoder().decode(bytesIn(pair.get(1)?.[0])), pair.get(2)?.[0] ?? 0] as const;
  });
  return { loss_fn_outputs: outputs, metrics: Object.fromEntries(metrics) };
}

function batchedOf(fields: ReadonlyMap<number, readonly ProtoValue[]>): (number | null)[][] {
  const bytes = bytesIn(fields.get(1)?.[0]);
  const offsets = [...arrayOf(BigInt64Array, fields.get(2)?.[0])].map(Number);
  const type = intIn(fields.get(3)?.[0]);
  return offsets.slice(1).map((end, i) => {
    const from = offsets[i]!;
    if (!(from >= 0 && from <= end && end <= bytes.length)) throw new Error("an array after the end");
    return finite(numbersOf(bytes.subarray(from, end), type));
  });
}

function numbersOf(bytes: Uint8Array, type: number): ArrayLike<number> {
  if (type === types.float32) return arrayOf(Float32Array, bytes);
  if (type === types.int32) return arrayOf(Int32Array, bytes);
  if (type === types.int64) return Array.from(arrayOf(BigInt64Array, bytes), Number);
  // The upper half of a float32.
  if (type === types.bfloat16)
    return new Float32Array(Uint32Array.from(arrayOf(Uint16Array, bytes), (half) => half << 16).buffer);
  throw new Error(`unknown number type ${type}`);
}

/** Null unless finite, as in JSON. */
function finite(values: ArrayLike<number>): (number | null)[] {
  return Array.from(values, (value) => (Number.isFinite(value) ? value : null));
}

type Numbers = Int32Array | Float32Array | BigInt64Array | Uint16Array;

function arrayOf<T extends Numbers>(
  kind: { new (buffer: ArrayBuffer): T; readonly BYTES_PER_ELEMENT: number },
  value: ProtoValue | undefined,
): T {
  const bytes = value === undefined ? new Uint8Array() : bytesIn(value);
  if (bytes.length % kind.BYTES_PER_ELEMENT !== 0) throw new Error("an array with part of a number");
  // A view may be unaligned or part of a pool.
  return new kind(new Uint8Array(bytes).buffer);
}

function bytesOf({ buffer, byteOffset, byteLength }: Numbers): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function bytesIn(value: ProtoValue | undefined): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw new Error("expected bytes, got a number");
}

function intIn(value: ProtoValue | undefined): number {
  if (value === undefined) return 0;
  if (typeof value === "number") return value;
  throw new Error("expected a number, got bytes");
}
