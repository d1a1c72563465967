import { globals } from "./members.ts";
import { Parser } from "./parser.ts";
import { Scope } from "./scope.ts";
import type { Value } from "./values.ts";

export class Template {
  readonly #render: (context: Scope) => string;

  /** @throws LaconicError `model_unsupported` */
  constructor(source: string) {
    this.#render = new Parser(source).template();
  }

  /**
   * @throws LaconicError `input_invalid` for errors that Jinja raises, `model_unsupported` for unsupported constructs
   * and exceeded limits
   */
  render(variables: Readonly<Record<string, Value>>): string {
    const context = new Scope(null);
    for (const [name, run] of globals) context.set(name, { type: "function", call: (call) => run(null, call) });
    for (const [name, value] of Object.entries(variables)) context.set(name, value);
    return this.#render(context);
  }
}
