import {
  canBind,
  childrenOf,
  isList,
  isScope,
  isStub,
  isUse,
  looseTree,
  type Node,
  strictTree,
  targetsOf,
  type Tree,
} from "./syntax.ts";

/** A statement of a module. */
export interface Statement {
  readonly text: string;
  /** Names that it binds in the module; attributes of a class as `Class.name`. A star import binds `*`. */
  readonly binds: ReadonlySet<string>;
  /** Names that it uses and does not bind. */
  readonly needs: ReadonlySet<string>;
}

/** What the syntax of a Python text says. */
export interface PythonSource {
  /** The text, without the indentation of its first line unless it is a body. */
  readonly text: string;
  readonly isValid: boolean;
  readonly statements: readonly Statement[];
  /** All names that its statements bind. */
  readonly binds: ReadonlySet<string>;
  /** Functions and classes of the module. */
  readonly defines: ReadonlySet<string>;
  /** Functions with an empty body: `pass`, `...` or `raise NotImplementedError`. */
  readonly stubs: ReadonlySet<string>;
  /** All identifiers, attributes included. */
  readonly names: ReadonlySet<string>;
  /** The module calls something for its effect. */
  readonly runs: boolean;
  /** It has a `return` or `yield` outside functions: the body of a function. */
  readonly isBody: boolean;
}

/** Reads Python that may have errors. Nothing is run. */
export function readPython(code: string): PythonSource {
  const text = dedented(code);
  const tree = strictTree(text);
  return sourceOf(code, text, tree ?? looseTree(text), tree !== null);
}

/** The same for a text that may be prose: null unless it is valid Python. */
export function readValidPython(code: string): PythonSource | null {
  const text = dedented(code);
  const tree = strictTree(text);
  return tree && sourceOf(code, text, tree, true);
}

/** Whether a text is valid Python. */
export function isValidPython(code: string): boolean {
  return strictTree(dedented(code)) !== null;
}

function dedented(code: string): string {
  const margin = /^(?:[ \t]*\n)*([ \t]*)\S/u.exec(code)?.[1] ?? "";
  const lines = code.split("\n").map((line) => (line.startsWith(margin) ? line.slice(margin.length) : line));
  return margin === "" ? code : lines.join("\n");
}

function sourceOf(code: string, text: string, tree: Tree, isValid: boolean): PythonSource {
  const readings = childrenOf(tree.topNode).map((statement) => readStatement(text, statement));
  const union = (key: "binds" | "defines" | "stubs" | "names"): Set<string> =>
    new Set(readings.flatMap((reading) => [...reading[key]]));
  const isBody = readings.some((reading) => reading.isBody);
  return {
    text: isBody ? code : text,
    isValid,
    statements: readings,
    binds: union("binds"),
    defines: union("defines"),
    stubs: union("stubs"),
    names: union("names"),
    runs: readings.some(({ runs }) => runs),
    isBody,
  };
}

interface Reading extends Statement, Pick<PythonSource, "defines" | "stubs" | "names" | "runs" | "isBody"> {}

function readStatement(source: string, statement: Node): Reading {
  const [binds, defines, stubs, names] = [new Set<string>(), new Set<string>(), new Set<string>(), new Set<string>()];
  const [locals, globals, uses] = [new Set<string>(), new Set<string>(), new Set<string>()];
  /** Positions of targets. */
  const bound = new Set<number>();
  const scopes: Node[] = [];
  let [functions, effects, runs, isBody] = [0, 0, false, false];
  const textOf = ({ from, to }: { readonly from: number; readonly to: number }): string => source.slice(from, to);
  const bind = (target: Node): void => {
    const [kind, name, scope] = [target.name, textOf(target), scopes[0]];
    if (kind === "VariableName" || isList(kind)) bound.add(target.from);
    const isName = kind === "VariableName" || (kind === "*" && target.parent?.name === "ImportStatement");
    if (!scope && (isName || kind === "MemberExpression")) binds.add(name);
    if (scope && isName) locals.add(name);
    if (scope?.name === "ClassDefinition" && scopes.length === 1 && isName)
      binds.add(`${textOf(scope.getChild("VariableName") ?? scope)}.${name}`);
  };
  statement.cursor().iterate(
    (ref) => {
      const kind = ref.name;
      if (kind === "ExpressionStatement") effects++;
      if (kind === "PrintStatement" || (kind === "CallExpression" && functions === 0 && effects > 0)) runs = true;
      if ((kind === "ReturnStatement" || kind === "YieldStatement") && functions === 0) isBody = true;
      if (kind === "PropertyName") names.add(textOf(ref));
      if (kind === "VariableName") {
        names.add(textOf(ref));
        if (bound.has(ref.from)) return;
        const { parent } = ref.node;
        if (parent?.name === "ScopeStatement") globals.add(textOf(ref));
        if (isUse(ref.node)) uses.add(textOf(ref));
        return;
      }
      if (kind.includes("Comprehension")) scopes.push(ref.node);
      if (canBind(kind)) for (const target of targetsOf(ref.node, bound.has(ref.from))) bind(target);
      if (!isScope(kind)) return;
      if (scopes.length === 0 && kind.endsWith("Definition")) {
        const name = textOf(ref.node.getChild("VariableName") ?? ref);
        defines.add(name);
        if (kind === "FunctionDefinition" && isStub(ref.node, textOf)) stubs.add(name);
      }
      if (!kind.includes("Comprehension")) scopes.push(ref.node);
      if (kind !== "ClassDefinition") functions++;
    },
    ({ name: kind }) => {
      if (kind === "ExpressionStatement") effects--;
      if (!isScope(kind)) return;
      scopes.pop();
      if (kind !== "ClassDefinition") functions--;
    },
  );
  const needs = new Set([...uses].filter((name) => globals.has(name) || (!binds.has(name) && !locals.has(name))));
  return { text: textOf(statement), binds, needs, defines, stubs, names, runs, isBody };
}
