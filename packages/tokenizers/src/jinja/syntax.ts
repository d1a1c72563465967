import type { BinaryOperator, Comparison } from "./operators.ts";
import type { Value } from "./values.ts";

/** Arguments of a call, filter or test as they are written. */
export interface CallArguments {
  readonly list: readonly Expression[];
  readonly named: readonly { readonly name: string; readonly value: Expression }[];
  /** `*list` */
  readonly rest: Expression | null;
  /** `**dict` */
  readonly namedRest: Expression | null;
}

export type Expression =
  | { readonly kind: "constant"; readonly value: Value }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "tuple" | "list"; readonly items: readonly Expression[] }
  | { readonly kind: "dict"; readonly entries: readonly (readonly [Expression, Expression])[] }
  | { readonly kind: "attribute"; readonly object: Expression; readonly name: string }
  | { readonly kind: "item"; readonly object: Expression; readonly key: Expression }
  | { readonly kind: "slice"; readonly bounds: readonly (Expression | null)[] }
  | { readonly kind: "call"; readonly callee: Expression; readonly args: CallArguments }
  | { readonly kind: "filter"; readonly input: Expression | null; readonly name: string; readonly args: CallArguments }
  | { readonly kind: "test"; readonly input: Expression; readonly name: string; readonly args: CallArguments }
  | { readonly kind: "unary"; readonly operator: "not" | "-" | "+"; readonly operand: Expression }
  | {
      readonly kind: "binary";
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: "logical"; readonly operator: "and" | "or"; readonly left: Expression; readonly right: Expression }
  | { readonly kind: "concatenation"; readonly parts: readonly Expression[] }
  | {
      readonly kind: "comparison";
      readonly first: Expression;
      readonly rest: readonly { readonly operator: Comparison; readonly operand: Expression }[];
    }
  | {
      readonly kind: "condition";
      readonly test: Expression;
      readonly whenTrue: Expression;
      readonly otherwise: Expression | null;
    };

/** What an assignment writes to. */
export type Target =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "member"; readonly name: string; readonly attribute: string }
  | { readonly kind: "tuple"; readonly items: readonly Target[] };

export interface Signature {
  readonly names: readonly string[];
  /** Of the last parameters. */
  readonly defaults: readonly Expression[];
}

export type Body = readonly Statement[];

export type Statement =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "output"; readonly value: Expression }
  | { readonly kind: "if"; readonly branches: readonly Branch[]; readonly otherwise: Body }
  | {
      readonly kind: "for";
      readonly target: Target;
      readonly source: Expression;
      readonly test: Expression | null;
      readonly isRecursive: boolean;
      readonly body: Body;
      readonly otherwise: Body;
    }
  | { readonly kind: "break" | "continue" }
  | { readonly kind: "set"; readonly target: Target; readonly value: Expression }
  | { readonly kind: "capture"; readonly target: Target; readonly filter: Expression | null; readonly body: Body }
  | {
      readonly kind: "with";
      readonly targets: readonly Target[];
      readonly values: readonly Expression[];
      readonly body: Body;
    }
  | { readonly kind: "macro"; readonly name: string; readonly signature: Signature; readonly body: Body }
  | {
      readonly kind: "callBlock";
      readonly call: Expression & { readonly kind: "call" };
      readonly signature: Signature;
      readonly body: Body;
    }
  | { readonly kind: "filterBlock"; readonly filter: Expression; readonly body: Body }
  | { readonly kind: "generation"; readonly body: Body };

export interface Branch {
  readonly test: Expression;
  readonly body: Body;
}

/** The expressions inside an expression, in the order in which Jinja visits them. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "constant":
    case "name":
      return [];
    case "tuple":
    case "list":
      return expression.items;
    case "dict":
      return expression.entries.flat();
    case "attribute":
      return [expression.object];
    case "item":
      return [expression.object, expression.key];
    case "slice":
      return expression.bounds.filter((bound) => bound !== null);
    case "call":
      return [expression.callee, ...argumentsOf(expression.args)];
    case "filter":
      return [...(expression.input ? [expression.input] : []), ...argumentsOf(expression.args)];
    case "test":
      return [expression.input, ...argumentsOf(expression.args)];
    case "unary":
      return [expression.operand];
    case "binary":
    case "logical":
      return [expression.left, expression.right];
    case "concatenation":
      return expression.parts;
    case "comparison":
      return [expression.first, ...expression.rest.map(({ operand }) => operand)];
    case "condition":
      return [expression.test, expression.whenTrue, ...(expression.otherwise ? [expression.otherwise] : [])];
  }
}

function argumentsOf({ list, named, rest, namedRest }: CallArguments): Expression[] {
  return [...list, ...named.map(({ value }) => value), ...(rest ? [rest] : []), ...(namedRest ? [namedRest] : [])];
}
