import type { MetricSink } from "./metric-sink.ts";
import { thrownText, present } from "@laconic/core";
import { withoutKey } from "@laconic/core/wire";

const mark = "[redacted]";

const secretName = /(?:API_?KEY|TOKEN|PASSWORD|SECRET|CREDENTIALS?)$/iu;

/** Shorter secrets would redact common words. */
const minCharacters = 8;

/** Values of variables such as `WANDB_API_KEY` and `HF_TOKEN`. */
export function secretsIn(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(environment).flatMap(([name, value = ""]) =>
    secretName.test(name) && value.length >= minCharacters ? [value] : [],
  );
}

/** Removes secrets, and user and password of URLs. */
export function redacted(text: string, secrets: readonly string[]): string {
  const masked = secrets.reduce((rest, secret) => rest.replaceAll(secret, mark), text);
  return masked.replaceAll(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/giu, `$1${mark}@`);
}

function redactedValue<T>(value: T, secrets: readonly string[]): T {
  if (typeof value === "string") return redacted(value, secrets) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => redactedValue(item, secrets)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactedValue(item, secrets)])) as T;
}

/** Removes secrets from a sink's settings, environment and errors. @param name - for a sink without a name */
export function clean(sink: MetricSink, secrets: readonly string[], name = "sink"): MetricSink {
  const guarded =
    <Arguments extends readonly unknown[], Result>(use: (...values: Arguments) => Result | Promise<Result>) =>
    async (...values: Arguments): Promise<Result> => {
      try {
        return await use(...values);
      } catch (error) {
        const reply = redacted(thrownText(error), secrets);
        // The message may contain part of a secret.
        throw new Error(secrets.reduce(withoutKey, reply), { cause: error });
      }
    };
  return {
    name: sink.name ?? name,
    ...present({ later: sink.later }),
    begin: guarded((run) => sink.begin?.(redactedValue(run, secrets))),
    log: guarded((metrics, step) => sink.log(metrics, step)),
    evaluation: guarded((evaluation) => sink.evaluation?.(evaluation)),
    transcripts: guarded((episodes, step) => sink.transcripts?.(episodes, step)),
    close: guarded((outcome) => sink.close?.(outcome)),
  };
}
