import { refusal, unsupported } from "./errors.ts";
import type { Applied } from "./arguments.ts";
import { filters } from "./filters.ts";
import { memberByKey, memberByName } from "./members.ts";
import { arithmetic, compare, isSliceable, negative, positive, slice } from "./operators.ts";
import { textOf } from "./print.ts";
import { partsOf, type CallArguments, type Expression } from "./syntax.ts";
import { tests } from "./tests.ts";
import { Dict, Thing, Tuple, Undefined, isTrue, listOf, typeOf, type Arguments, type Value } from "./values.ts";

/** Marks a variable that is known and not set. */
export const unset: unique symbol = Symbol("unset");

/** Variables of a body, and the bodies around it. */
export class Scope {
  readonly variables: Map<string, Value | typeof unset> = new Map();
  readonly parent: Scope | null;

  constructor(parent: Scope | null, hidden: readonly string[] = []) {
    this.parent = parent;
    this.reset(hidden);
  }

  /** Forgets all variables; hidden names are undefined whatever they are outside. */
  reset(hidden: readonly string[]): void {
    this.variables.clear();
    for (const name of hidden) this.variables.set(name, unset);
  }

  set(name: string, value: Value | typeof unset): void {
    this.variables.set(name, value);
  }

  get(name: string): Value {
    const value = this.variables.get(name);
    if (value === undefined && this.parent) return this.parent.get(name);
    return value === undefined || value === unset ? new Undefined(`'${name}' is undefined`) : value;
  }
}

/** Filters and tests as other filters call them. */
const applied: Applied = {
  filter(name, call) {
    const run = filters.get(name);
    if (!run) throw refusal(`No filter named '${name}'.`);
    return run(call, applied);
  },
  test(name, call) {
    const run = tests.get(name);
    if (!run) throw refusal(`No test named '${name}'.`);
    return run(call);
  },
};

/** Calls a value. */
function callValue(callee: Value, call: Arguments): Value {
  if (callee instanceof Thing) return callee.call(call);
  throw refusal(`'${typeOf(callee)}' object is not callable`);
}

/** Whether an expression reads no variable. */
function isConstant(expression: Expression): boolean {
  return expression.kind !== "name" && expression.kind !== "call" && partsOf(expression).every(isConstant);
}

/**
 * @param captured - text that a filter without an input applies to
 */
export function evaluate(expression: Expression, scope: Scope, captured = ""): Value {
  const valueOf = (inner: Expression): Value => evaluate(inner, scope, captured);
  switch (expression.kind) {
    case "constant":
      return expression.value;
    case "name":
      return scope.get(expression.name);
    case "list":
      return expression.items.map(valueOf);
    case "tuple":
      return new Tuple(expression.items.map(valueOf));
    case "dict":
      return new Dict(expression.entries.map(([key, value]) => [valueOf(key), valueOf(value)]));
    case "attribute":
      return memberByName(valueOf(expression.object), expression.name);
    case "item": {
      const object = valueOf(expression.object);
      const { key } = expression;
      if (key.kind !== "slice") return memberByKey(object, valueOf(key));
      const bounds = key.bounds.map((bound) => (bound === null ? undefined : valueOf(bound)));
      // Jinja computes constants when it compiles, where this error becomes an undefined value.
      if (!isSliceable(object, bounds) && isConstant(expression)) throw unsupported("an invalid slice of a constant");
      return slice(object, bounds);
    }
    case "slice":
      throw refusal("a slice can only stand alone in brackets");
    case "call": {
      const callee = valueOf(expression.callee);
      return callValue(callee, argumentsOf(expression.args, valueOf));
    }
    case "filter": {
      const input = expression.input === null ? captured : valueOf(expression.input);
      return applied.filter(expression.name, argumentsOf(expression.args, valueOf, input));
    }
    case "test":
      return applied.test(expression.name, argumentsOf(expression.args, valueOf, valueOf(expression.input)));
    case "unary": {
      const operand = valueOf(expression.operand);
      if (expression.operator === "not") return !isTrue(operand);
      return expression.operator === "-" ? negative(operand) : positive(operand);
    }
    case "binary":
      return arithmetic(expression.operator, valueOf(expression.left), valueOf(expression.right));
    case "logical": {
      const left = valueOf(expression.left);
      return isTrue(left) === (expression.operator === "or") ? left : valueOf(expression.right);
    }
    case "concatenation":
      return expression.parts.map(valueOf).map(textOf).join("");
    case "comparison": {
      let left = valueOf(expression.first);
      for (const { operator, operand } of expression.rest) {
        const right = valueOf(operand);
        if (!compare(operator, left, right)) return false;
        left = right;
      }
      return true;
    }
    case "condition":
      if (isTrue(valueOf(expression.test))) return valueOf(expression.whenTrue);
      if (expression.otherwise) return valueOf(expression.otherwise);
      return new Undefined("the condition is false and there is no else");
  }
}

function argumentsOf(args: CallArguments, valueOf: (expression: Expression) => Value, input?: Value): Arguments {
  const list = [...(input === undefined ? [] : [input]), ...args.list.map(valueOf)];
  const named = new Map(args.named.map(({ name, value }) => [name, valueOf(value)]));
  if (args.rest) list.push(...listOf(valueOf(args.rest)));
  if (args.namedRest) {
    const rest = valueOf(args.namedRest);
    if (!(rest instanceof Dict)) throw refusal(`argument after ** must be a mapping, not ${typeOf(rest)}`);
    for (const [key, value] of rest.entries.values()) {
      if (typeof key !== "string") throw refusal("keywords must be strings");
      if (named.has(key)) throw refusal(`got multiple values for keyword argument '${key}'`);
      named.set(key, value);
    }
  }
  return { list, named };
}
