import { globals } from "./members.ts";
import { Parser } from "./parser.ts";
import { Scope } from "./scope.ts";
import type { Value } from "./values.ts";

/**
 * Compiles a template. Its renderer throws `input_invalid` for errors that Jinja raises, `model_unsupported` for
 * unsupported constructs and exceeded limits.
 * @throws LaconicError `model_unsupported`
 */
export function compileTemplate(source: string): (variables: Readonly<Record<string, Value>>) => string {
  const render = new Parser(source).template();
  return (variables) => {
    const context = new Scope(null);
    for (const [name, run] of globals) context.set(name, { type: "function", call: (call) => run(null, call) });
    for (const [name, value] of Object.entries(variables)) context.set(name, value);
    return render(context);
  };
}
