import { LaconicError } from "@laconic/core";

/** A model of an OpenAI-compatible server. */
export interface NamedModel {
  readonly model: string;
  readonly baseUrl: string;
}

/**
 * `NAME@URL`, or `NAME` alone for the server that is asked anyway. A name may have an `@` of its own.
 * @throws LaconicError `config_invalid` without a name
 */
export function namedModel(text: string, baseUrl: string, flag: string): NamedModel {
  const at = /@(?=https?:\/\/)/u.exec(text)?.index;
  const model = at === undefined ? text : text.slice(0, at);
  if (model === "")
    throw new LaconicError("config_invalid", `--${flag}: ${JSON.stringify(text)} is no model; write NAME@URL`, {
      flag,
    });
  return { model, baseUrl: at === undefined ? baseUrl : text.slice(at + 1) };
}
