import type { SinkOutcome, SinkRun } from "./metric-sink.ts";
import { bytesField, doubleField, textField, varintField } from "./protobuf.ts";
import { encodePluginData, stringTensor } from "./tensorboard-events.ts";

/** What the HPARAMS tab compares runs by. */
const comparedMetrics = ["validation/accuracy", "validation/tokens"] as const;

const statusOf = { finished: 1, failed: 2, interrupted: 3 } as const; // success, failure, running

/** Settings of a run for the HPARAMS tab: which there are, and those of this run. */
export function encodeHparams(wallTime: number, { name, config }: SinkRun): Uint8Array[] {
  const settings = Object.entries(flatSettings(config));
  const infos = settings.map(([key, value]) => bytesField(4, textField(1, key), varintField(4, typeOf(value))));
  const metrics = comparedMetrics.map((tag) => bytesField(5, bytesField(1, textField(2, tag)), textField(3, tag)));
  const experiment = bytesField(2, doubleField(3, wallTime), ...infos, ...metrics);
  const values = settings.map(([key, value]) => bytesField(1, textField(1, key), bytesField(2, valueOf(value))));
  const start = bytesField(3, ...values, textField(4, name), doubleField(5, wallTime));
  return [
    encodePluginData(wallTime, "_hparams_/experiment", "hparams", experiment),
    encodePluginData(wallTime, "_hparams_/session_start_info", "hparams", start),
  ];
}

/** How the run ended, for the HPARAMS tab. */
export function encodeHparamsEnd(wallTime: number, outcome: SinkOutcome): Uint8Array {
  const end = bytesField(4, varintField(1, statusOf[outcome]), doubleField(2, wallTime));
  return encodePluginData(wallTime, "_hparams_/session_end_info", "hparams", end);
}

/** The CUSTOM SCALARS tab: validation accuracy within its interval, and tokens. */
export function encodeLayout(wallTime: number): Uint8Array {
  const series = bytesField(
    1,
    textField(1, "validation/accuracy"),
    textField(2, "validation/accuracy_low"),
    textField(3, "validation/accuracy_high"),
  );
  const accuracy = bytesField(2, textField(1, "accuracy, with its interval of 95 %"), bytesField(3, series));
  const tokens = bytesField(2, textField(1, "tokens per episode"), bytesField(2, textField(1, "validation/tokens")));
  const layout = bytesField(2, textField(1, "validation problems"), accuracy, tokens);
  return encodePluginData(wallTime, "custom_scalars__config__", "custom_scalars", null, stringTensor(layout));
}

type Value = string | number | boolean;

function typeOf(value: Value): number {
  return { string: 1, boolean: 2, number: 3 }[typeof value as "string" | "boolean" | "number"];
}

/** As `google.protobuf.Value`. */
function valueOf(value: Value): Uint8Array {
  if (typeof value === "number") return doubleField(2, value);
  return typeof value === "string" ? textField(3, value) : varintField(4, value ? 1 : 0);
}

/** A leaf of a configuration. */
type FlatValue = string | number | boolean;

/** Settings as one level of names, `train.budget.targetTokens`; lists that hold more than plain values as JSON, nulls left out. */
function flatSettings(settings: unknown, path = ""): Record<string, FlatValue> {
  if (settings === null || settings === undefined) return {};
  if (typeof settings === "string" || typeof settings === "number" || typeof settings === "boolean")
    return { [path]: settings };
  if (Array.isArray(settings)) return { [path]: JSON.stringify(settings) };
  return Object.assign(
    {},
    ...Object.entries(settings).map(([key, each]) => flatSettings(each, path === "" ? key : `${path}.${key}`)),
  ) as Record<string, FlatValue>;
}
