import { baselineNamed } from "@laconic/baselines";
import { LaconicError } from "@laconic/core";

/** A method of a bench: one that is published, or a trained team, `NAME=RUN`. */
export interface MethodSpec {
  readonly name: string;
  /** Run directory of a trained team; null for a published method. */
  readonly run: string | null;
}

/** @throws LaconicError `config_invalid` for a method that does not exist, or a team called like one */
export function methodSpec(text: string): MethodSpec {
  return methodSpecOf(text, (name) => baselineNamed(name).name);
}

/** @param named - what a method without a run is called; throws where there is none */
export function methodSpecOf(text: string, named: (name: string) => string): MethodSpec {
  const at = text.indexOf("=");
  if (at < 0) return { name: named(text), run: null };
  const name = text.slice(0, at);
  const run = text.slice(at + 1);
  if (!/^[\w-]+$/u.test(name) || run === "")
    throw new LaconicError("config_invalid", `${text}: a trained team is written NAME=RUN`, { method: text });
  return { name, run };
}
