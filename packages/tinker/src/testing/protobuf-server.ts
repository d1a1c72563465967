import { joinBytes } from "@laconic/core/files";
import { doubleField, fieldsOf, intField, lengthField, type ProtoValue } from "@laconic/core/wire";

/** Server side of the binary format: reads and writes messages of `protobufCodec`. */

interface Tensor {
  readonly data: readonly (number | null)[];
}

export function passRequest(bytes: Uint8Array): { readonly path: string; readonly body: object } {
  const fields = fieldsOf(bytes);
  const forwardOnly = (fields.get(6)?.[0] ?? 0) === 1;
  const pass = {
    data: (fields.get(3) ?? []).map((datum) => datumOf(inBytes(datum))),
    loss_fn: inText(fields.get(4)?.[0]),
    loss_fn_config: Object.fromEntries((fields.get(5) ?? []).map((entry) => pairOf(entry, Number))),
  };
  const head = { model_id: inText(fields.get(1)?.[0]), seq_id: fields.get(2)?.[0] };
  return forwardOnly
    ? { path: "forward", body: { ...head, forward_input: pass } }
    : { path: "forward_backward", body: { ...head, forward_backward_input: pass } };
}

/** Binary result of a pass or a sample; null for results that are always JSON. */
export function binaryResult(value: unknown): Uint8Array<ArrayBuffer> | null {
  const { loss_fn_outputs, sequences } = value as { loss_fn_outputs?: unknown; sequences?: unknown };
  if (loss_fn_outputs !== undefined) return passResult(value as PassResult);
  return sequences === undefined ? null : sampleResult(value as SampleResult);
}

interface PassResult {
  readonly loss_fn_outputs: readonly Readonly<Record<string, Tensor>>[];
  readonly metrics: Readonly<Record<string, number>>;
}

function passResult({ loss_fn_outputs, metrics }: PassResult): Uint8Array<ArrayBuffer> {
  const names = Object.keys(loss_fn_outputs[0] ?? {});
  const record = [
    ...names.map((name) => {
      const rows = loss_fn_outputs.map((output) => floats(output[name]?.data ?? []));
      const offsets = [0n];
      for (const row of rows) offsets.push((offsets.at(-1) as bigint) + BigInt(row.length));
      const ends = lengthField(2, new Uint8Array(BigInt64Array.from(offsets).buffer));
      return lengthField(2, lengthField(1, name), lengthField(2, lengthField(1, ...rows), ends, intField(3, 1)));
    }),
    intField(3, loss_fn_outputs.length),
  ];
  return joinBytes([
    lengthField(1, "tinker.types:ArrayRecord"),
    lengthField(2, ...record),
    ...Object.entries(metrics).map(([name, metric]) => lengthField(3, lengthField(1, name), doubleField(2, metric))),
  ]);
}

interface SampleResult {
  readonly sequences: readonly {
    readonly tokens: readonly number[];
    readonly logprobs: readonly number[];
    readonly stop_reason: "stop" | "length";
  }[];
  readonly prompt_logprobs?: readonly (number | null)[];
}

function sampleResult({ sequences, prompt_logprobs: logProbs }: SampleResult): Uint8Array<ArrayBuffer> {
  return joinBytes([
    ...sequences.map(({ tokens, logprobs, stop_reason }) => {
      const reason = intField(1, stop_reason === "stop" ? 0 : 1);
      return lengthField(1, reason, lengthField(2, ints(tokens)), lengthField(3, floats(logprobs)));
    }),
    ...(logProbs ? [lengthField(2, floats(logProbs))] : []),
  ]);
}

function datumOf(bytes: Uint8Array): object {
  const fields = fieldsOf(bytes);
  const chunks = (fields.get(1) ?? []).map((chunk) => {
    const text = fieldsOf(inBytes(fieldsOf(inBytes(chunk)).get(1)?.[0]));
    return { type: "encoded_text", tokens: [...new Int32Array(copied(inBytes(text.get(1)?.[0])))] };
  });
  return {
    model_input: { chunks },
    loss_fn_inputs: Object.fromEntries((fields.get(2) ?? []).map((entry) => pairOf(entry, tensorOf))),
  };
}

function tensorOf(value: ProtoValue): object {
  const fields = fieldsOf(inBytes(value));
  const buffer = copied(inBytes(fields.get(1)?.[0]));
  return fields.get(3)?.[0] === 2
    ? { data: Array.from(new BigInt64Array(buffer), Number), dtype: "int64" }
    : { data: [...new Float32Array(buffer)], dtype: "float32" };
}

function pairOf<T>(entry: ProtoValue, read: (value: ProtoValue) => T): readonly [string, T] {
  const pair = fieldsOf(inBytes(entry));
  return [inText(pair.get(1)?.[0]), read(pair.get(2)?.[0] ?? 0)];
}

function ints(values: readonly number[]): Uint8Array {
  return new Uint8Array(Int32Array.from(values).buffer);
}

function floats(values: readonly (number | null)[]): Uint8Array {
  return new Uint8Array(Float32Array.from(values, (value) => value ?? Number.NaN).buffer);
}

function copied(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

function inBytes(value: ProtoValue | undefined): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array();
}

function inText(value: ProtoValue | undefined): string {
  return new TextDecoder().decode(inBytes(value));
}
