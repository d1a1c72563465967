import { syntaxError } from "./errors.ts";
import { filters } from "./filters.ts";
import { namesIn } from "./parser.ts";
import { partsOf, type Body, type Expression, type Signature, type Statement, type Target } from "./syntax.ts";
import { tests } from "./tests.ts";

/** How a scope finds a name: `undefined` hides a variable of the same name outside until it is set. */
type Load = "parameter" | "resolve" | "alias" | "undefined";

/** What Jinja's compiler knows about a body that has its own scope. */
export interface ScopeFacts {
  /** Names that are undefined at the start of the scope, whatever they are outside. */
  readonly hidden: readonly string[];
  /** Special names that the body reads: `loop`, `caller`, `kwargs`, `varargs`. */
  readonly special: ReadonlySet<string>;
}

/** Facts by scope: the body of a template, loop, `else` branch, macro or block, and the test of a loop. */
export type Scopes = ReadonlyMap<object, ScopeFacts>;

/**
 * Jinja decides when it compiles a template where a name is looked up: a name that a scope sets but does not read before
 * is undefined in the scopes inside until it is set. The rules follow Jinja's `idtracking`.
 * @throws LaconicError `model_unsupported` for unknown filters and tests where Jinja finds them at once.
 */
export function analyze(template: Body): Scopes {
  const analysis = new Analysis();
  analysis.scope(template, template, null, new Set());
  return analysis.scopes;
}

class Symbols {
  readonly loads: Map<string, Load>;
  readonly stores: Set<string>;
  readonly parent: Symbols | null;

  constructor(parent: Symbols | null, loads = new Map<string, Load>(), stores = new Set<string>()) {
    this.parent = parent;
    this.loads = loads;
    this.stores = stores;
  }

  has(name: string): boolean {
    return this.loads.has(name) || (this.parent?.has(name) ?? false);
  }

  load(name: string): void {
    if (!this.has(name)) this.loads.set(name, "resolve");
  }

  store(name: string): void {
    this.stores.add(name);
    if (!this.loads.has(name)) this.loads.set(name, this.parent?.has(name) ? "alias" : "undefined");
  }

  declare(name: string): void {
    this.stores.add(name);
    this.loads.set(name, "parameter");
  }

  copy(): Symbols {
    return new Symbols(this.parent, new Map(this.loads), new Set(this.stores));
  }

  /** Takes over what branches of an `if` read and set; a name that only branches set is looked up outside. */
  join(branches: readonly Symbols[]): void {
    const stored = new Set(branches.flatMap((branch) => [...branch.stores]).filter((name) => !this.stores.has(name)));
    for (const branch of branches) {
      for (const [name, load] of branch.loads) this.loads.set(name, load);
      for (const name of branch.stores) this.stores.add(name);
    }
    for (const name of stored) this.loads.set(name, this.parent?.has(name) ? "alias" : "resolve");
  }
}

class Analysis {
  readonly scopes = new Map<object, ScopeFacts>();

  /** Analyzes a scope, then the scopes inside. */
  scope(
    owner: object,
    body: Body,
    parent: Symbols | null,
    special: ReadonlySet<string>,
    declare: (symbols: Symbols) => void = () => {},
  ): Symbols {
    const symbols = new Symbols(parent);
    declare(symbols);
    for (const statement of body) this.#visit(statement, symbols);
    const hidden = Array.from(symbols.loads).filter(([, load]) => load === "undefined");
    this.scopes.set(owner, { hidden: hidden.map(([name]) => name), special });
    this.#enter(body, symbols, false);
    return symbols;
  }

  #visit(statement: Statement, symbols: Symbols): void {
    const read = (...expressions: readonly Expression[]): void => {
      for (const name of expressions.flatMap(namesRead)) symbols.load(name);
    };
    switch (statement.kind) {
      case "text":
      case "break":
      case "continue":
      case "generation":
        return;
      case "output":
        return read(statement.value);
      case "if": {
        const [first, ...others] = statement.branches;
        if (first) read(first.test);
        const branch = (run: (inner: Symbols) => void): Symbols => {
          const inner = symbols.copy();
          run(inner);
          return inner;
        };
        const visitAll = (body: Body, inner: Symbols): void => body.forEach((each) => this.#visit(each, inner));
        const bodies = [
          branch((inner) => visitAll(first?.body ?? [], inner)),
          branch((inner) => {
            for (const other of others) this.#visit({ kind: "if", branches: [other], otherwise: [] }, inner);
          }),
          branch((inner) => visitAll(statement.otherwise, inner)),
        ];
        return symbols.join(bodies);
      }
      case "for":
        return read(statement.source);
      case "set":
        read(statement.value);
        return this.#assign(statement.target, symbols);
      case "capture":
        return this.#assign(statement.target, symbols);
      case "with":
        return read(...statement.values);
      case "macro":
        return symbols.store(statement.name);
      case "callBlock":
        return read(statement.call);
      case "filterBlock":
        return read(statement.filter);
    }
  }

  #assign(target: Target, symbols: Symbols): void {
    if (target.kind === "name") symbols.store(target.name);
    else if (target.kind === "member") symbols.load(target.name);
    else for (const item of target.items) this.#assign(item, symbols);
  }

  /** @param isSoft - inside an `if`, where an unknown filter is an error only when it is used */
  #enter(body: Body, symbols: Symbols, isSoft: boolean): void {
    for (const statement of body) {
      for (const expression of ownExpressions(statement)) checkNames(expression, isSoft);
      this.#enterStatement(statement, symbols);
    }
  }

  #enterStatement(statement: Statement, symbols: Symbols): void {
    const nothing = new Set<string>();
    switch (statement.kind) {
      case "if":
        for (const { test, body } of statement.branches) {
          checkNames(test, true);
          this.#enter(body, symbols, true);
        }
        return this.#enter(statement.otherwise, symbols, true);
      case "for": {
        const { target, test, body, otherwise, isRecursive } = statement;
        const special = specialNames(body, ["loop"]);
        if (isRecursive) special.add("loop");
        const declare = (inner: Symbols): void => namesIn(target).forEach((name) => inner.declare(name));
        this.scope(body, body, symbols, special, (inner) => {
          if (special.has("loop")) inner.declare("loop");
          declare(inner);
        });
        if (test) {
          checkNames(test, false);
          this.scope(test, [{ kind: "output", value: test }], symbols, nothing, declare);
        }
        if (otherwise.length > 0) this.scope(otherwise, otherwise, symbols, nothing);
        return;
      }
      case "macro":
      case "callBlock":
        return this.#function(statement, symbols);
      case "with":
        this.scope(statement.body, statement.body, symbols, nothing, (inner) => {
          for (const name of statement.targets.flatMap(namesIn)) inner.declare(name);
        });
        return;
      case "capture": {
        const inner = this.scope(statement.body, statement.body, symbols, nothing);
        const unknown = statement.filter && namesRead(statement.filter).find((name) => !inner.has(name));
        if (typeof unknown === "string")
          throw syntaxError(`the filter of a set block reads ${unknown}, which nothing before it reads or sets`, 0);
        return;
      }
      case "filterBlock":
        this.scope(statement.body, [...statement.body, { kind: "output", value: statement.filter }], symbols, nothing);
        return;
      case "generation":
        this.scope(statement.body, statement.body, symbols, nothing);
        return;
      case "text":
      case "output":
      case "set":
      case "break":
      case "continue":
    }
  }

  #function(statement: { readonly signature: Signature; readonly body: Body }, symbols: Symbols): void {
    const { signature, body } = statement;
    const { names, defaults } = signature;
    const special = specialNames(body, ["caller", "kwargs", "varargs"]);
    const caller = names.indexOf("caller");
    if (special.has("caller") && caller >= 0 && caller < names.length - defaults.length)
      throw syntaxError("the parameter caller needs a default", 0);
    const own = ["kwargs", "varargs"].filter((name) => names.includes(name));
    for (const name of own) special.delete(name);
    this.scope(body, body, symbols, special, (inner) => {
      for (const name of names) inner.declare(name);
      for (const name of defaults.flatMap(namesRead)) inner.load(name);
      for (const name of special) if (!names.includes(name)) inner.declare(name);
    });
    for (const value of defaults) checkNames(value, false);
  }
}

/** Expressions of a statement outside its bodies. */
function ownExpressions(statement: Statement): readonly Expression[] {
  switch (statement.kind) {
    case "output":
    case "set":
      return [statement.value];
    case "for":
      return [statement.source];
    case "with":
      return statement.values;
    case "callBlock":
      return [statement.call];
    case "filterBlock":
      return [statement.filter];
    case "capture":
      return statement.filter ? [statement.filter] : [];
    case "text":
    case "if":
    case "macro":
    case "generation":
    case "break":
    case "continue":
      return [];
  }
}

/** Names in the order in which Jinja visits them. */
function namesRead(expression: Expression): readonly string[] {
  return expression.kind === "name" ? [expression.name] : partsOf(expression).flatMap(namesRead);
}

/** @throws LaconicError for a filter or test that does not exist, unless it may never be used. */
function checkNames(expression: Expression, isSoft: boolean): void {
  const isUnknown =
    (expression.kind === "filter" && !filters.has(expression.name)) ||
    (expression.kind === "test" && !tests.has(expression.name));
  if (isUnknown && !isSoft) throw syntaxError(`no ${expression.kind} named ${expression.name}`, 0);
  for (const part of partsOf(expression)) checkNames(part, isSoft || expression.kind === "condition");
}

/** Which of the special names a body reads before it sets them, with the bodies inside. */
function specialNames(body: Body, names: readonly string[]): Set<string> {
  const open = new Set(names);
  const used = new Set<string>();
  for (const { name, isRead } of mentions(body)) {
    if (isRead && open.has(name)) used.add(name);
    else open.delete(name);
  }
  return used;
}

interface Mention {
  readonly name: string;
  readonly isRead: boolean;
}

function* mentions(body: Body): Generator<Mention> {
  for (const statement of body) yield* mentionsIn(statement);
}

function* mentionsIn(statement: Statement): Generator<Mention> {
  const read = (...expressions: readonly Expression[]): Mention[] =>
    expressions.flatMap(namesRead).map((name) => ({ name, isRead: true }));
  const write = (...names: readonly string[]): Mention[] => names.map((name) => ({ name, isRead: false }));
  switch (statement.kind) {
    case "text":
    case "break":
    case "continue":
      return;
    case "output":
      yield* read(statement.value);
      return;
    case "if":
      for (const { test, body } of statement.branches) {
        yield* read(test);
        yield* mentions(body);
      }
      yield* mentions(statement.otherwise);
      return;
    case "for":
      yield* write(...namesIn(statement.target));
      yield* read(statement.source);
      yield* mentions(statement.body);
      yield* mentions(statement.otherwise);
      if (statement.test) yield* read(statement.test);
      return;
    case "set":
      yield* write(...namesIn(statement.target));
      yield* read(statement.value);
      return;
    case "capture":
      yield* write(...namesIn(statement.target));
      if (statement.filter) yield* read(statement.filter);
      yield* mentions(statement.body);
      return;
    case "with":
      yield* write(...statement.targets.flatMap(namesIn));
      yield* read(...statement.values);
      yield* mentions(statement.body);
      return;
    case "macro":
    case "callBlock":
      if (statement.kind === "callBlock") yield* read(statement.call);
      yield* write(...statement.signature.names);
      yield* read(...statement.signature.defaults);
      yield* mentions(statement.body);
      return;
    case "filterBlock":
      yield* mentions(statement.body);
      yield* read(statement.filter);
      return;
    case "generation":
      yield* mentions(statement.body);
  }
}
