import { globals } from "./members.ts";
import { Parser } from "./parser.ts";
import { Scope } from "./scope.ts";
import type { Value } from "./values.ts";

/** A compiled chat template. */
export class Template {
  readonly #render: (context: Scope) => string;

  /** @throws LaconicError `model_unsupported` for a syntax error, or naming what is not supported. */
  constructor(source: string) {
    this.#render = new Parser(source).template();
  }

  /**
   * @param variables - what the template can read
   * @throws LaconicError `input_invalid` for what Jinja raises, `model_unsupported` for what is not supported or too long.
   */
  render(variables: Readonly<Record<string, Value>>): string {
    const context = new Scope(null);
    for (const [name, run] of globals) context.set(name, { type: "function", call: (call) => run(null, call) });
    for (const [name, value] of Object.entries(variables)) context.set(name, value);
    return this.#render(context);
  }
}
